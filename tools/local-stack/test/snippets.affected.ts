import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import type { OpenAPIObject } from '@nestjs/swagger';
import { transformSync } from '@swc/core';
import { chromium } from 'playwright-core';
import { services } from '@cxp/areas/services';
import { committedDocument } from '@cxp/openapi/documents';
import { type GuardedProcess, waitUntilReady, workspaceRoot } from '@cxp/testing/local-servers';
import { findChromium, needs } from '@cxp/testing';
import { DOCUMENTS, programOf, SHOWN_LANGUAGES, snippetsOf } from '../src/snippets';
import { readDemoFacts } from '../src/running-stack';
import { freePorts, startStack } from './stack-process';

const START_TIMEOUT_MS = 300_000;
jest.setTimeout(START_TIMEOUT_MS);

/** What a newcomer types first; `npm start` and `npm test` are what the tests of the workspace run. */
const FIRST_COMMANDS = ['npm ci && npm start\n', 'npm ci && npm test\n'];
const RUN = ['sh', 'sql', 'python', 'ts'];
/** Programs that `sh` blocks start. */
const RECEIVERS = ['mts', 'py'];

/** A reader does not run all examples within a minute. */
const LIMITS = Object.fromEntries(
  ['EXTERNAL_CONTACT_CENTER', 'EXTERNAL_SURVEY'].flatMap((area) => [
    [`${area}_PER_SEC_LIMIT`, '1000000'],
    [`${area}_PER_MIN_LIMIT`, '1000000'],
  ]),
);

const run = promisify(execFile);

let stackDirectory: string;
/** Where a reader of the documents stands. */
let desk: string;
let stack: GuardedProcess;

beforeAll(async () => {
  stackDirectory = mkdtempSync(join(tmpdir(), 'cxp-snippets-stack-'));
  stack = startStack(stackDirectory, { ...LIMITS, ...(await freePorts()) });
  await Promise.all([
    (async () => (desk = await makeDesk()))(),
    waitUntilReady(stack, () => stack.output().includes('The local stack is ready'), START_TIMEOUT_MS),
  ]);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await stack.stop();
  for (const directory of [stackDirectory, desk]) rmSync(directory, { recursive: true, force: true });
});

it.each(DOCUMENTS)('%s holds only snippets that are run here', (document) => {
  for (const { language, text } of snippetsOf(document)) {
    if (language === 'console') expect(FIRST_COMMANDS).toContain(text);
    else expect([...RUN, ...RECEIVERS, ...SHOWN_LANGUAGES]).toContain(language);
  }
});

const documentsWith = (language: string) => DOCUMENTS.filter((document) => programOf(document, language));
const { it: itWithCurl } = needs('curl');
const { it: itWithPython } = needs('python3');

itWithCurl.each(documentsWith('sh'))(
  '%s: curl and the command line, and what reads their files',
  async (document) => {
    for (const language of RECEIVERS) write(`receiver.${language}`, programOf(document, language) ?? '');
    const printed = await inShell(`bash -euo pipefail ${write('snippets.sh', programOf(document, 'sh')!)}`);
    if (programOf(document, 'mts')) expect(printed).toContain('{"status":204,');
    await inDuckDb(programOf(document, 'sql') ?? '');
  },
);

const { status: missing } = spawnSync('python3', ['-c', 'import standardwebhooks']);
needs('standardwebhooks for Python', missing === 0).it('the receiver of hints in Python', async () => {
  const shell = snippetsOf('apps/README.md').filter(({ language }) => language === 'sh');
  const blocks = ['headers=(', 'node receiver.mts'].map(
    (part) => shell.find(({ text }) => text.includes(part))!.text,
  );
  const text = blocks.join('\n').replace('node receiver.mts', 'python3 receiver.py');
  write('receiver.py', programOf('apps/README.md', 'py')!);
  expect(await inShell(`bash -euo pipefail ${write('hints.sh', text)}`)).toContain('{"status":204,');
});

itWithPython.each(documentsWith('python'))('%s: Python', async (document) => {
  await inShell(`python3 -W error ${write('snippets.py', programOf(document, 'python')!)}`);
});

it.each([...documentsWith('ts'), ...documentsWith('mts')])(
  '%s: TypeScript compiles strictly',
  async (document) => {
    const file = write('snippets.mts', (programOf(document, 'ts') ?? programOf(document, 'mts'))!);
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const tsc = join(workspaceRoot, 'node_modules/typescript/bin/tsc');
    await inShell(`node ${tsc} ${options.join(' ')} --ignoreConfig ${file}`);
  },
);

it.each(documentsWith('ts'))('%s: TypeScript runs', async (document) => {
  await inShell(`node ${write('snippets.mjs', compiled(programOf(document, 'ts')!))}`);
});

describe('the reference', () => {
  const executablePath = findChromium();

  // First as they are after the guide's samples, then after each other: none destroys what another one names.
  needs('chromium', executablePath).it.each(services)(
    'each sample of $app in curl is accepted, twice',
    async ({ app, area, urlKey }) => {
      const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
      const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      await page.goto(`${readDemoFacts(stackDirectory)!.urls[urlKey]}/docs`);
      const samples: string[] = [];
      for (const { method, path, summary, tags } of operationsOf(committedDocument(app))) {
        const tag = tags![0]!.toLowerCase().replaceAll(' ', '-');
        const address = `#${area}/tag/${tag}/${method.toUpperCase()}${path}`;
        await page.evaluate((hash) => (location.hash = hash), address);
        const region = page.getByRole('region', { name: summary!, exact: true }).first();
        samples.push((await region.locator('.request-card code').first().innerText()).trimEnd());
      }
      await browser.close();
      const answers = [];
      for (const sample of [...samples, ...samples]) {
        const status = await inShell(`${sample} -sS -o sample.out -w '%{http_code}'`);
        if (!status.startsWith('2'))
          answers.push([sample, status, readFileSync(join(desk, 'sample.out'), 'utf8')]);
      }
      expect(answers).toEqual([]);
    },
  );

  it('the samples of both clients run', async () => {
    const samples: { lang: string; source: string }[] = [];
    for (const url of Object.values(readDemoFacts(stackDirectory)!.urls)) {
      const document = (await (await fetch(`${url}/docs/openapi.json`)).json()) as OpenAPIObject;
      for (const { 'x-codeSamples': ofClients = [] } of operationsOf(document)) samples.push(...ofClients);
    }
    expect(samples).toHaveLength(26);
    for (const { lang, source } of samples) {
      const isPython = lang === 'Python';
      const file = write(`sample.${isPython ? 'py' : 'mjs'}`, source);
      expect(await inShell(`${isPython ? 'python3' : 'node'} ${file}`)).not.toBe('');
    }
  });
});

interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly summary?: string;
  readonly tags?: string[];
  readonly 'x-codeSamples'?: { lang: string; source: string }[];
}

/** In an order in which nothing is read after it was deleted. */
function operationsOf({ paths }: OpenAPIObject): DescribedOperation[] {
  return (['put', 'get', 'post', 'delete'] as const).flatMap((method) =>
    Object.entries(paths).flatMap(([path, item]) =>
      item[method] ? [{ ...item[method], method, path }] : [],
    ),
  );
}

/** A reader's project with the stack's `.local` and the packages that the snippets import. */
async function makeDesk(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-snippets-'));
  const install = `npx nx build client && npm install --prefix ${directory} ./dist/libs/client/cxp-client-*.tgz`;
  await run('bash', ['-ec', install], { cwd: workspaceRoot });
  symlinkSync(stackDirectory, join(directory, '.local'));
  const modules = join(directory, 'node_modules');
  mkdirSync(join(modules, '.bin'), { recursive: true });
  symlinkSync(join(workspaceRoot, 'tools/cxp/bin/cxp.js'), join(modules, '.bin/cxp'));
  for (const name of ['ws', '@types', 'standardwebhooks'])
    symlinkSync(join(workspaceRoot, 'node_modules', name), join(modules, name));
  return directory;
}

function compiled(text: string): string {
  const { code } = transformSync(text, {
    jsc: { parser: { syntax: 'typescript' }, target: 'es2023' },
    module: { type: 'es6' },
    swcrc: false,
  });
  return code;
}

function write(name: string, text: string): string {
  const file = join(desk, name);
  writeFileSync(file, text);
  return file;
}

/** Runs statements where a reader stands: each answers rows. */
async function inDuckDb(statements: string): Promise<void> {
  const duckdb = await DuckDBInstance.create(':memory:');
  const connection = await duckdb.connect();
  await connection.run(`SET file_search_path = '${desk}'`);
  const inDesk = statements.replaceAll("ATTACH '", `ATTACH '${desk}/`);
  for (const statement of inDesk.split(/;\s*/).filter((text) => text !== '')) {
    const { currentRowCount } = await connection.runAndReadAll(statement);
    if (/^(ATTACH|USE) /.test(statement)) continue;
    expect([statement, currentRowCount]).not.toEqual([statement, 0]);
  }
  connection.closeSync();
  duckdb.closeSync();
}

/** Runs a command where the variables of the demo are set. @throws with all that it printed */
async function inShell(command: string, variables: Record<string, string> = {}): Promise<string> {
  const { DATABASE_URL: _, REDIS_URL: __, ...env } = process.env;
  const script = `source .local/demo.env && ${command}`;
  const { stdout } = await run('bash', ['-c', script], {
    cwd: desk,
    env: {
      ...env,
      ...variables,
      LOCAL_STACK_DIRECTORY: stackDirectory,
      PYTHONPATH: `${join(workspaceRoot, 'libs/client-python/src')}:${env.PYTHONPATH ?? ''}`,
    },
  }).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${command}\n${error.stdout}\n${error.stderr}`);
  });
  return stdout;
}
