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
import { workspaceRoot } from '@cxp/testing/local-servers';

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

/** @returns whether a build takes place; if not, an earlier one is restored */
async function builds(): Promise<boolean> {
  const count = () => readFileSync(join(copy, 'builds.log'), 'utf8').length;
  const before = count();
  await nxCommand('build', 'survey-api');
  return count() > before;
}

async function inputsOf(target: string): Promise<string[]> {
  const shown = await nxCommand('show', 'target', 'inputs', target, '--json');
  return (JSON.parse(shown) as { files: string[] }).files;
}

/** Documents and tests, and another app. */
const NO_INPUTS = [
  'README.md',
  'apps/survey-api/README.md',
  'apps/webchat-gateway/src/main.ts',
  'apps/survey-api/test/records.ts',
  'apps/survey-api/test/survey-page.e2e.ts',
  'libs/storage/src/migrate.spec.ts',
];

it('the inputs of a build are its sources and those of its libs, and what they are built with', async () => {
  const inputs = await inputsOf('survey-api:build');
  expect(inputs).toEqual(
    expect.arrayContaining([
      'apps/survey-api/src/main.ts',
      'libs/storage/src/failures.ts',
      'tools/release/src/build/build-deployable.ts',
      '.swcrc',
      'package.json',
      'package-lock.json',
      'tsconfig.base.json',
    ]),
  );
  expect(inputs.filter((file) => NO_INPUTS.includes(file))).toEqual([]);
});

it('the inputs of the documents are the documents of every service, and what they are made with', async () => {
  expect(await inputsOf('openapi:build')).toEqual(
    expect.arrayContaining([
      'apps/README.md',
      'apps/webchat-gateway/openapi.json',
      'tools/openapi/src/documents-page.ts',
    ]),
  );
});

it('a change of the documents, which are in the build of every service, is followed by a build', async () => {
  const path = join(copy, 'tools/openapi/src/documents-page.ts');
  const text = readFileSync(path, 'utf8');
  const title = '</title>';
  expect(text).toContain(title);
  writeFileSync(path, text.replace(title, ' 2</title>'));
  expect(await builds()).toBe(true);
});

it('a change of what is no input is not', async () => {
  for (const file of NO_INPUTS) appendFileSync(join(copy, file), '\n');
  expect(await builds()).toBe(false);
});

it.each([
  ['apps/survey-api/README.md', []],
  ['apps/survey-api/src/main.ts', ['survey-api']],
  ['libs/storage/src/failures.ts', ['survey-api', 'webchat-gateway', 'contact-center-export']],
])('%s affects %j', async (file, apps) => {
  const affected = await nxCommand('show', 'projects', '--affected', '--files', file, '--type', 'app');
  expect(affected.split('\n').filter(Boolean).sort()).toEqual([...apps].sort());
});
