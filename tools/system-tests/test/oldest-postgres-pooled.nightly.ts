import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { oldestPostgres, startPostgres, workspaceRoot, type LocalServer } from '@cxp/testing/local-servers';

/** The suites that use the database in most ways; all of them pass, too, which takes several minutes more. */
const SUITES = [
  ...['cursors', 'list-changes', 'list-digests', 'stream-sessions'].map(
    (name) => `contact-center-export/test/${name}`,
  ),
  ...['create-link', 'export-responses', 'response-changes'].map((name) => `survey-api/test/${name}`),
  ...['concurrent-messages', 'create-session', 'history', 'session-resolution'].map(
    (name) => `webchat-gateway/test/${name}`,
  ),
];

let postgres: LocalServer;
beforeAll(async () => {
  postgres = await startPostgres({}, await oldestPostgres());
}, 120_000);
afterAll(() => postgres?.stop());

it('the suites pass on PostgreSQL 15 behind PgBouncer in transaction mode', async () => {
  const jest = join(workspaceRoot, 'node_modules/jest/bin/jest.js');
  const files = SUITES.map((name) => `apps/${name}.e2e.ts`);
  const run = spawn(
    process.execPath,
    [jest, '--config', 'jest.preset.js', '--runInBand', '--runTestsByPath', ...files],
    {
      cwd: workspaceRoot,
      env: { ...environment(), DATABASE_URL: postgres.url, CXP_TEST_POOLER: 'transaction' },
    },
  );
  let output = '';
  for (const stream of [run.stdout, run.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(run, 'close')) as [number];
  if (code !== 0) throw new Error(output);
  expect(output).toContain(`Test Suites: ${files.length} passed, ${files.length} total`);
}, 600_000);

/** Without what this run of Jest prepared for its own tests. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CXP_TEST_|JEST_)/.test(name)));
}
