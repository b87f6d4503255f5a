import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Dependencies point one way: tools → apps → feature libs → foundation libs. No area reaches into another. */
const depConstraints = [
  {
    sourceTag: 'type:tool',
    onlyDependOnLibsWithTags: ['type:tool', 'type:app', 'type:feature', 'type:foundation', 'type:testing'],
  },
  { sourceTag: 'type:app', onlyDependOnLibsWithTags: ['type:feature', 'type:foundation', 'type:testing'] },
  { sourceTag: 'type:feature', onlyDependOnLibsWithTags: ['type:foundation', 'type:testing'] },
  { sourceTag: 'type:foundation', onlyDependOnLibsWithTags: ['type:foundation', 'type:testing'] },
  { sourceTag: 'type:testing', onlyDependOnLibsWithTags: [] },
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

/** Nx lets nobody import an app; tools do, for instance to describe or to migrate it. */
const apps = ['@cxp/webchat-gateway/**', '@cxp/contact-center-export/**', '@cxp/survey-api/**'];

const moduleBoundaries = (allow) => ({
  '@nx/enforce-module-boundaries': ['error', { allow, depConstraints, enforceBuildableLibDependency: false }],
});

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.local/**', '**/generated/**'] },
  {
    files: ['**/*.ts'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
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
  { files: ['tools/**/*.ts'], rules: moduleBoundaries(apps) },
  {
    files: ['**/*.{spec,e2e}.ts', '**/test/**/*.ts', 'libs/testing/**/*.ts', 'tools/**/*.ts'],
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
