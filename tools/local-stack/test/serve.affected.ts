import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { type GuardedProcess, startGuarded, waitUntilReady, workspaceRoot } from '@cxp/testing/local-servers';
import { serveApp } from './stack-process';

let directory: string;
let served: GuardedProcess;
let squatter: Server | undefined;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-serve-'));
  mkdirSync(join(directory, 'src'));
});
afterEach(async () => {
  squatter?.close();
  await served.stop();
  rmSync(directory, { recursive: true });
});

it('runs an app again after each change of its sources, also after one that broke it', async () => {
  writeMain('console.log("first"); setInterval(() => undefined, 1000);');
  served = serve();
  await printed('first');

  writeMain('console.log("second"); setInterval(() => undefined, 1000);');
  await printed('second');

  writeMain('throw new Error("third")');
  await printed('Ended with status 1: waiting for a change');

  writeMain('console.log("fourth"); setInterval(() => undefined, 1000);');
  await printed('fourth');
});

it('ends with the app when the app does not start', async () => {
  writeMain('process.exit(3)');
  served = serve();
  expect(await served.exited).toBe(3);
});

it('ends Nx with a status that is not 0 when the port is taken', async () => {
  squatter = createServer().listen(0);
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  served = startGuarded({
    command: [process.execPath, join(workspaceRoot, 'node_modules/nx/dist/bin/nx.js'), 'serve', 'survey-api'],
    cwd: workspaceRoot,
    env: {
      ...process.env,
      NX_DAEMON: 'false',
      NX_TUI: 'false',
      SURVEY_PORT: String(port),
    },
  });
  expect(await served.exited).toBe(1);
  expect(served.output()).toContain(`survey-api: port ${port} is taken`);
}, 120_000);

function writeMain(source: string): void {
  writeFileSync(join(directory, 'src/main.ts'), source);
}

function serve(): GuardedProcess {
  const environment = {
    DATABASE_URL: 'postgres://nowhere',
    REDIS_URL: 'redis://nowhere',
    DOCUMENTS_DIRECTORY: directory,
  };
  return serveApp(relative(workspaceRoot, directory), directory, environment);
}

async function printed(text: string): Promise<void> {
  await waitUntilReady(served, () => served.output().includes(text));
}
