import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makePackages, readVersion } from '../src/release';

const run = promisify(execFile);
const BUILD_TIMEOUT_MS = 120_000;
const LINK_TO_FILE = /\]\((?!https:|#)[^)]*\)/g;

/** The empty folder of a new user, with the packages in `release`. */
let folder: string;
let made: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cxp-packages-'));
  made = await makePackages(join(folder, 'release'));
  const tarballs = made.filter((path) => path.endsWith('.tgz'));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...tarballs], { cwd: folder });
  const wheel = made.find((path) => path.endsWith('.whl'))!;
  const toFolder = ['--no-index', '--no-cache-dir', '--target', join(folder, 'python')];
  await run('python3', ['-m', 'pip', 'install', ...toFolder, wheel]);
}, BUILD_TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = (name: string) => join(folder, 'node_modules', name);

it('makes the files that a release publishes, readable for a web server, and nothing else', () => {
  const version = readVersion();
  expect(readdirSync(join(folder, 'release')).sort()).toEqual([
    `cxp-client-${version}.tgz`,
    `cxp-follower-${version}.tgz`,
    `cxp_client-${version}-py3-none-any.whl`,
    `cxp_client-${version}.tar.gz`,
  ]);
  expect(made.map((path) => statSync(path).mode & 0o777)).toEqual(made.map(() => 0o644));
});

it.each(['@cxp/client', '@cxp/follower'])(
  '%s has its licence, and a README that links to no file',
  (name) => {
    expect(readdirSync(installed(name))).toEqual(expect.arrayContaining(['LICENSE', 'README.md']));
    const readme = readFileSync(join(installed(name), 'README.md'), 'utf8');
    expect(readme.match(LINK_TO_FILE)).toBeNull();
  },
);

it('cxp_client has its licence and types, and a description that links to no file', () => {
  const python = join(folder, 'python');
  const information = readdirSync(python).find((name) => name.endsWith('.dist-info'))!;
  expect(readdirSync(join(python, 'cxp_client'))).toContain('py.typed');
  expect(readdirSync(join(python, information, 'licenses'))).toEqual(['LICENSE']);
  const metadata = readFileSync(join(python, information, 'METADATA'), 'utf8');
  expect(metadata.match(LINK_TO_FILE)).toBeNull();
});

it('@cxp/follower names the licences of what it bundles', () => {
  const licences = readFileSync(join(installed('@cxp/follower'), 'licenses.txt'), 'utf8');
  expect(licences).toMatch(/^commander \d+\.\d+\.\d+ \(MIT\)$/m);
});

it.each([
  ['copy.duckdb', 'copy.duckdb', '@duckdb/node-api'],
  ['postgres://localhost/copy', 'postgres://', 'pg'],
])(
  'cxp-follow --to %s without its package says in one line what to install',
  async (target, named, missing) => {
    const follow = join(folder, 'node_modules/.bin/cxp-follow');
    const options = ['--area', 'survey', '--organization', 'acme', '--to', target, '--once'];
    const env = { ...process.env, CXP_URL: 'https://127.0.0.1:1', CXP_TOKEN: 'cxp_token' };
    await expect(run(follow, options, { cwd: folder, env })).rejects.toMatchObject({
      code: 1,
      stderr: `cxp-follow: --to ${named} needs the package ${missing}: npm install ${missing}\n`,
    });
  },
);
