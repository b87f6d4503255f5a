import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/local-servers';

const run = promisify(execFile);

/** A copy of the workspace, where a build only writes a line to `builds.log`. */
let copy: string;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'cxp-build-inputs-'));
  const { stdout } = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: workspaceRoot,
    maxBuffer: 10_000_000,
  });
  for (const file of stdout.split('\0').filter(Boolean)) {
    cpSync(join(workspaceRoot, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(workspaceRoot, 'node_modules'), join(copy, 'node_modules'));
  const nx = JSON.parse(readFileSync(join(copy, 'nx.json'), 'utf8')) as {
    targetDefaults: { build: { command: string } };
  };
  nx.targetDefaults.build.command = 'echo built >> builds.log';
  writeFileSync(join(copy, 'nx.json'), JSON.stringify(nx));
  await nxCommand('build', 'survey-api');
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

async function nxCommand(...parameters: string[]): Promise<string> {
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false', NX_WORKSPACE_ROOT_PATH: copy };
  const nx = join(workspaceRoot, 'node_modules/nx/dist/bin/nx.js');
  const { stdout } = await run(process.execPath, [nx, ...parameters], { cwd: copy, env });
  return stdout;
}

/** @returns whether a build takes place once the files have changed; if not, an earlier one is restored */
async function buildsAfterChangeOf(...files: string[]): Promise<boolean> {
  const builds = () => readFileSync(join(copy, 'builds.log'), 'utf8').length;
  const before = builds();
  for (const file of files) appendFileSync(join(copy, file), '\n');
  await nxCommand('build', 'survey-api');
  return builds() > before;
}

it.each([
  'apps/survey-api/src/main.ts',
  'libs/storage/src/failures.ts',
  'tools/build/src/build-deployable.ts',
  '.swcrc',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
])('a change of %s is followed by a build', async (file) => {
  expect(await buildsAfterChangeOf(file)).toBe(true);
});

it.each([
  ['apps/webchat-gateway/openapi.json', '"title": "', '"title": "New '],
  [
    'apps/webchat-gateway/src/chat-protocol/async-api-document.ts',
    'description: CLOSE_CODES',
    "description: 'New'",
  ],
  ['tools/openapi/src/reference-document.ts', "title: 'External", "title: 'New external"],
])(
  'a change of %s, which the documents page of every service shows, is followed by a build',
  async (file, from, to) => {
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    expect(text).toContain(from);
    writeFileSync(path, text.replace(from, to));
    expect(await buildsAfterChangeOf()).toBe(true);
  },
);

it('a change of documents and tests is not', async () => {
  expect(
    await buildsAfterChangeOf(
      'README.md',
      'apps/survey-api/README.md',
      'apps/webchat-gateway/src/main.ts',
      'apps/survey-api/test/records.ts',
      'apps/survey-api/test/survey-page.e2e.ts',
      'libs/storage/src/migrate.spec.ts',
    ),
  ).toBe(false);
});

it.each([
  ['apps/survey-api/README.md', []],
  ['apps/survey-api/src/main.ts', ['survey-api']],
  ['libs/storage/src/failures.ts', ['survey-api', 'webchat-gateway', 'contact-center-export']],
])('%s affects %j', async (file, apps) => {
  const affected = await nxCommand('show', 'projects', '--affected', '--files', file, '--type', 'app');
  expect(affected.split('\n').filter(Boolean).sort()).toEqual([...apps].sort());
});
