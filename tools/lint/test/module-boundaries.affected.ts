import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const CIRCLES = 'folders/no-circles';

const FORBIDDEN: [what: string, file: string, imported: string][] = [
  ['an app that imports another app', 'apps/survey-api/src/main.ts', '@cxp/webchat-gateway/app.module'],
  ['a lib that imports an app', 'libs/pagination/src/pages.ts', '@cxp/survey-api/app.module'],
  ['a foundation lib that imports a feature lib', 'libs/pagination/src/pages.ts', '@cxp/erasure'],
  ['a lib that imports one that imports it', 'libs/storage/src/failures.ts', '@cxp/auth-headers'],
  ['the testing lib that imports what its users test', 'libs/testing/src/test-redis.ts', '@cxp/storage'],
  ['a way around the alias', 'libs/auth-headers/src/access/permissions.ts', '../../../storage/src/failures'],
];

/** Of folders of an app, to which the folder of the file leads already. */
const CIRCULAR: [what: string, file: string, imported: string][] = [
  [
    'a folder that imports one that stands on it',
    'apps/survey-api/src/campaigns/campaign.repository.ts',
    '../responses/response-fields',
  ],
  [
    'a folder that stands on others in between',
    'apps/survey-api/src/calendar/day-window.ts',
    '../survey-pages/submission.service',
  ],
  ['a folder with an index', 'apps/survey-api/src/campaigns/survey-question.ts', '../questions'],
];

/** What operators and `npm start` run stands on no test. */
const OPERATED: [what: string, file: string, text: string][] = [
  'tools/areas/src/wiring.ts',
  'tools/cxp/src/main.ts',
  'tools/local-stack/src/start.ts',
  'tools/openapi/src/main.ts',
  'tools/release/src/release.ts',
].flatMap((file) => [
  [`${file} that imports system-tests`, file, "import '@cxp/system-tests/load';\n"],
  [`${file} that imports system-tests later`, file, "void import('@cxp/system-tests/load');\n"],
]);

const ALLOWED: [what: string, file: string, imported: string][] = [
  ['an app that imports a feature lib', 'apps/webchat-gateway/src/app.module.ts', '@cxp/erasure'],
  ['an app that imports a foundation lib', 'apps/survey-api/src/main.ts', '@cxp/storage'],
  [
    'a foundation lib that imports one below it',
    'libs/auth-headers/src/access/permissions.ts',
    '@cxp/storage',
  ],
  ['a tool that imports an app', 'tools/cxp/src/main.ts', '@cxp/webchat-gateway/app.module'],
  ['a test that imports the testing lib', 'libs/storage/src/failures.spec.ts', '@cxp/testing'],
  [
    'a folder that imports what it stands on',
    'apps/survey-api/src/questions/text.tsx',
    '../campaigns/survey-question',
  ],
  [
    'a test of a folder that imports one above it',
    'apps/survey-api/src/campaigns/campaign.repository.spec.ts',
    '../responses/response-fields',
  ],
  ['a file of no folder', 'apps/survey-api/src/settings.ts', './survey-pages/submission.service'],
];

type Finding = { readonly rule: string; readonly message: string };
let findings: Map<string, Finding[]>;

beforeAll(() => {
  // The rule reads the project graph that Nx keeps; on a fresh machine there is none yet.
  run('node_modules/nx/dist/bin/nx.js', ['show', 'projects']);
  const cases = [...FORBIDDEN, ...CIRCULAR, ...ALLOWED].map(([what, file, imported]) => ({
    what,
    file: join(workspaceRoot, file),
    text: `import '${imported}';\n`,
  }));
  cases.push(...OPERATED.map(([what, file, text]) => ({ what, file: join(workspaceRoot, file), text })));
  const answers = JSON.parse(run('tools/lint/test/lint-texts.mjs', [], JSON.stringify(cases))) as Finding[][];
  findings = new Map(cases.map(({ what }, i) => [what, answers[i]!]));
}, 120_000);

it.each(FORBIDDEN)('%s fails lint', (what) => {
  expect(findings.get(what)!.map(({ rule }) => rule)).toEqual([BOUNDARIES]);
});

it.each(CIRCULAR)('%s fails lint', (what) => {
  expect(findings.get(what)!.map(({ rule }) => rule)).toEqual([CIRCLES]);
});

it.each(OPERATED)('%s fails lint', (what) => {
  expect(findings.get(what)!.map(({ rule }) => rule)).toContain('no-restricted-syntax');
});

it.each(ALLOWED)('%s passes', (what) => {
  expect(findings.get(what)).toEqual([]);
});

function run(script: string, args: string[], input = ''): string {
  // In a single run, which it takes CI=true for, typescript-eslint lints the file on the disk instead of the text.
  const env = { ...process.env, NX_DAEMON: 'false', TSESTREE_SINGLE_RUN: 'false' };
  return execFileSync(process.execPath, [script, ...args], {
    cwd: workspaceRoot,
    env,
    input,
    encoding: 'utf8',
  });
}
