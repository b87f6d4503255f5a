import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { workspaceRoot } from '@cxp/testing/local-servers';

async function nx(...parameters: string[]): Promise<string> {
  const env = { ...process.env, NX_DAEMON: 'false', NX_TUI: 'false' };
  const program = join(workspaceRoot, 'node_modules/nx/dist/bin/nx.js');
  const options = { cwd: workspaceRoot, env, maxBuffer: 10_000_000 };
  return (await promisify(execFile)(process.execPath, [program, ...parameters], options)).stdout;
}

async function inputsOf(target: string): Promise<string[]> {
  const shown = await nx('show', 'target', 'inputs', target, '--json');
  return (JSON.parse(shown) as { files: string[] }).files;
}

/** Documents and tests, and another app. */
const NO_INPUTS = [
  'README.md',
  'apps/survey-api/README.md',
  'apps/webchat-gateway/src/main.ts',
  'apps/survey-api/test/records.ts',
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
      'tools/openapi/src/documents.ts',
    ]),
  );
});
