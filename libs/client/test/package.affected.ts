import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/testing/local-servers';

const BUILT = join(workspaceRoot, 'dist/libs/client');

const run = promisify(execFile);

/** The tarball that the build has made. */
let tarball: string;
/** The empty folder of a new user, with the tarball installed. */
let folder: string;
beforeAll(async () => {
  tarball = join(
    BUILT,
    readdirSync(BUILT).find((file) => file.endsWith('.tgz'))!,
  );
  folder = mkdtempSync(join(tmpdir(), 'cxp-client-package-'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

/** @throws with all that it printed */
async function node(...args: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, args, { cwd: folder }).catch(
    (error: { stdout: string; stderr: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    },
  );
  return stdout.trim();
}

it('the tarball has no dependencies', () => {
  const installed = readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'));
  expect(installed).toEqual(['@cxp']);
});

const USE = 'console.log(new CxpError("m") instanceof Error, new ChatError("c", "m") instanceof CxpError)';

it.each([
  [
    'require',
    'use.cjs',
    `const { CxpError } = require('@cxp/client'); const { ChatError } = require('@cxp/client/chat');`,
  ],
  [
    'import',
    'use.mjs',
    `import { CxpError } from '@cxp/client'; import { ChatError } from '@cxp/client/chat';`,
  ],
])('%s', async (_, file, imports) => {
  expect(await node(write(file, `${imports}\n${USE}`))).toBe('true true');
});

it('require and import share their classes', async () => {
  const file = write(
    'both.mjs',
    `import { createRequire } from 'node:module';
    import { ApiError } from '@cxp/client';
    import { ChatError } from '@cxp/client/chat';
    const require = createRequire(import.meta.url);
    console.log(ApiError === require('@cxp/client').ApiError, ChatError === require('@cxp/client/chat').ChatError);`,
  );
  expect(await node(file)).toBe('true true');
});

it.each([
  [
    'node10',
    'node10.ts',
    ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'],
  ],
  ['node16 from CommonJS', 'node16.cts', ['--module', 'node16']],
  ['node16 from an ES module', 'node16.mts', ['--module', 'node16']],
  ['bundler', 'bundler.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
])('TypeScript with moduleResolution %s', async (_, file, options) => {
  const text = `
    import { CxpClient, type ConversationSession } from '@cxp/client';
    import { ChatSocket, type ChatSession } from '@cxp/client/chat';
    const cxp = new CxpClient({ organizationId: 'acme', token: 't', urls: {} });
    export const rating = async (): Promise<ConversationSession['rating'][]> =>
      (await cxp.conversationSessions.page({ startDate: 'a', endDate: 'b' })).items.map((row) => row.rating);
    export const open = (session: ChatSession) => new ChatSocket(session, { renewToken: () => Promise.resolve(null) });
    // @ts-expect-error The types are not any.
    export const wrong: string = cxp.conversationSessions;`;
  const tsc = join(workspaceRoot, 'node_modules/typescript/bin/tsc');
  const strict = ['--noEmit', '--strict', '--target', 'es2022', '--lib', 'es2023,dom'];
  await node(tsc, ...strict, ...options, '--ignoreConfig', write(file, text));
});
