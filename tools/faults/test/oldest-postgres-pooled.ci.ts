import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { oldestPostgres, startPostgres, workspaceRoot, type LocalServer } from '@cxp/local-servers';

/** The suites of each app that use the database in most ways; all of them pass, too, which takes several minutes more. */
const SUITES = [
  { app: 'contact-center-export', names: ['cursors', 'list-changes', 'list-digests', 'record-intake'] },
  { app: 'survey-api', names: ['create-link', 'export-responses', 'response-changes'] },
  {
    app: 'webchat-gateway',
    names: ['concurrent-messages', 'create-session', 'message-history', 'session-resolution'],
  },
];

let postgres: LocalServer;
beforeAll(async () => {
  postgres = await startPostgres({}, await oldestPostgres());
}, 120_000);
afterAll(() => postgres?.stop());

describe('on PostgreSQL 15 behind PgBouncer in transaction mode', () => {
  it.each(SUITES)(
    'the suites of $app pass: $names',
    async ({ app, names }) => {
      const jest = join(workspaceRoot, 'node_modules/jest/bin/jest.js');
      const files = `<rootDir>/test/{${names.join(',')}}.e2e.ts`;
      const run = spawn(
        process.execPath,
        [jest, '--config', 'jest.preset.js', '--rootDir', `apps/${app}`, '--testMatch', files, '--runInBand'],
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
      expect(output).toContain(`Test Suites: ${names.length} passed, ${names.length} total`);
    },
    300_000,
  );
});

/** Without what this run of Jest prepared for its own tests. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(CXP_TEST_|JEST_)/.test(name)));
}
