import { resolve } from 'node:path';
import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { noFolderCircles } from './folder-circles.mjs';

const workspaceRoot = resolve(import.meta.dirname, '../..');

/** What tests and tools import; the sources of what is deployed do not: see `no-restricted-imports` below. */
const DEVELOPMENT = ['type:development'];

/** Dependencies point one way: tools → apps → feature libs → foundation libs. No area reaches into another. */
const depConstraints = [
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: ['type:tool', 'type:app', 'type:feature', 'type:foundation', ...DEVELOPMENT],
  },
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:feature', 'type:foundation', ...DEVELOPMENT] },
  { sourceTag: 'type:feature', onlyDependOnLibsWithTags: ['type:foundation', ...DEVELOPMENT] },
  { sourceTag: 'type:foundation', onlyDependOnLibsWithTags: ['type:foundation', ...DEVELOPMENT] },
  { sourceTag: 'type:development', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'scope:webchat', onlyDependOnLibsWithTags: ['scope:webchat', 'scope:shared'] },
  { sourceTag: 'scope:contact-center', onlyDependOnLibsWithTags: ['scope:contact-center', 'scope:shared'] },
  { sourceTag: 'scope:survey', onlyDependOnLibsWithTags: ['scope:survey', 'scope:shared'] },
  { sourceTag: 'scope:shared', onlyDependOnLibsWithTags: ['scope:shared'] },
  {
    sourceTag: 'scope:workspace',
    onlyDependOnLibsWithTags: [
      'scope:workspace',
      'scope:webchat',
      'scope:contact-center',
      'scope:survey',
      'scope:shared',
    ],
  },
];

/** Nx forbids imports of apps. Tools import them, for instance to describe or to migrate them. */
const apps = ['@cxp/webchat-gateway/**', '@cxp/contact-center-export/**', '@cxp/survey-api/**'];

/** Commands load the code of the apps only if they need it, by `import()`. */
const loadedLate = [
  '@cxp/system-tests/http',
  '@cxp/areas/services',
  '@cxp/areas/wiring',
  '@cxp/cxp/erase-subject',
  '@cxp/cxp/explain-conversation',
  '@cxp/cxp/import-records',
  '@cxp/cxp/project-organizations',
  '@cxp/openapi/documents',
];

const moduleBoundaries = (allow) => ({
  '@nx/enforce-module-boundaries': ['error', { allow, depConstraints, enforceBuildableLibDependency: false }],
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.local/**', '**/generated/**'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    // One program for all projects: a program for each takes three times as long.
    languageOptions: {
      parserOptions: { project: 'tools/lint/tsconfig.json', tsconfigRootDir: workspaceRoot },
    },
    plugins: { '@nx': nx },
    rules: {
      ...moduleBoundaries([]),
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/require-await': 'off',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Settings are parsed once, in the settings class of the project.',
        },
      ],
    },
  },
  {
    files: ['tools/**/*.ts', 'libs/client-python/test/*.ts'],
    rules: moduleBoundaries([...apps, ...loadedLate]),
  },
  {
    files: ['tools/{areas,cxp,local-stack,openapi,release}/src/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...['ImportDeclaration', 'ImportExpression'].map((node) => ({
          selector: `${node}[source.value=/system-tests/]`,
          message: 'For tests only: operators and `npm start` run this source.',
        })),
      ],
    },
  },
  {
    files: ['apps/*/src/**/*.{ts,tsx}'],
    plugins: { folders: { rules: { 'no-circles': noFolderCircles } } },
    rules: { 'folders/no-circles': 'error' },
  },
  {
    files: ['{apps,libs}/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'CallExpression[callee.object.name=/socket$/i][callee.property.name=/^(push|unshift|emit)$/]',
          "CallExpression[callee.property.name='emit'][arguments.0.value='connection']",
          'TSAsExpression[typeAnnotation.type=TSTypeQuery] > TSAsExpression[typeAnnotation.type=TSUnknownKeyword]',
          "MemberExpression[property.name=/^(master|readyForQuery)$/][object.name!='this']",
          "MemberExpression[object.property.name='connection'][property.name='stream']",
          "AssignmentExpression[left.object.name='parser']",
          "UnaryExpression[operator='delete'] > MemberExpression[computed=true][object.name='headers']",
        ].map((selector) => ({ selector, message: 'Node.js, pg and TypeORM are not patched from inside.' })),
      ],
    },
  },
  {
    files: ['{apps,libs}/*/src/**/*.ts'],
    ignores: ['**/*.{spec,e2e,ci,affected,nightly}.ts', 'libs/testing/**', 'libs/service-kit/src/testing/**'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@cxp/testing', '@cxp/testing/*', '@cxp/*/testing'],
              message: 'For tests and tools only: this source is deployed.',
            },
          ],
        },
      ],
    },
  },
  {
    files: [
      '**/*.{spec,e2e,ci,affected,nightly}.ts',
      '**/test/**/*.ts',
      'libs/testing/**/*.ts',
      'libs/service-kit/src/testing/**/*.ts',
      'tools/**/*.ts',
      'libs/follower/**/*.ts',
    ],
    rules: {
      'no-restricted-properties': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);
