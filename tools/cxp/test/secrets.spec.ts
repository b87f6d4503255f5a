import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { runCxp } from './cxp-process';

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec?: { readonly data: readonly { readonly secretKey: string; readonly remoteRef: object }[] };
}

const read = (text: string) => parseAllDocuments(text).map((document) => document.toJS() as Printed);
const keysOf = ({ stringData, spec }: Printed) =>
  stringData ? Object.keys(stringData) : spec!.data.map(({ secretKey }) => secretKey);

// That the services accept the values, and pods find their secrets: tools/release/test/kubernetes.affected.ts.
describe('npx cxp secrets', () => {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-secrets-'));
  const roles = join(directory, 'roles.sql');
  afterAll(() => rmSync(directory, { recursive: true }));

  it('prints the secrets of an installation, others each time, and writes the passwords of the roles', async () => {
    const environment = { REDIS_URL: 'rediss://default:secret@redis.acme.org' };
    const run = (...options: string[]) =>
      runCxp(environment, ['secrets', '--database', 'db/cxp', ...options]);
    const { status, stdout } = await run('--roles', roles);
    const secrets = read(stdout);

    expect([status, secrets.map(({ kind }) => kind)]).toEqual([0, Array(8).fill('Secret')]);
    const urls = secrets
      .flatMap(({ stringData }) => Object.values(stringData!))
      .filter((value) => /^postgres:/.test(value));
    const sql = readFileSync(roles, 'utf8');
    expect(urls).toHaveLength(8);
    for (const url of urls) {
      const { username, password, pathname } = new URL(url);
      expect(pathname).toBe('/cxp');
      expect(sql).toContain(`ALTER ROLE ${username} PASSWORD '${password}';\n`);
    }
    expect(statSync(roles).mode & 0o777).toBe(0o600);
    expect(stdout.match(/"REDIS_URL": "rediss:\/\/default:secret@redis.acme.org"/g)).toHaveLength(4);
    const [webchat, , contactCenter] = secrets.map(({ stringData }) => stringData!);
    expect(webchat!.SERVICE_TOKEN_KEYS).toBe(contactCenter!.SERVICE_TOKEN_KEYS);
    expect((await run()).stdout).not.toBe(stdout);
  });

  it('writes the secrets to a file of its owner', async () => {
    const output = join(directory, 'secrets.yaml');
    expect(await runCxp({ REDIS_URL: 'redis://r' }, ['secrets', '--output', output])).toEqual({
      status: 0,
      stdout: '',
      stderr: '',
    });
    expect(statSync(output).mode & 0o777).toBe(0o600);
    expect(read(readFileSync(output, 'utf8'))).toHaveLength(8);
  });

  it.each([
    ['--roles', 'roles.sql'],
    ['--output', 'secrets.yaml'],
  ])('does not replace what %s has written', async (option, file) => {
    const result = await runCxp({}, ['secrets', option, join(directory, file)]);
    expect(result).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^cxp: .*exists.*\n$/) as string,
    });
  });

  it('prints ExternalSecrets of the same keys, without a value', async () => {
    const [plain, external] = await Promise.all([
      runCxp({}, ['secrets']),
      runCxp({}, ['secrets', '--external', 'vault']),
    ]);
    expect(plain.stderr).toBe(
      'cxp: REDIS_URL is not set: the secrets name redis://redis, without a password\n',
    );
    expect(external.stderr).toBe('');
    const objects = read(external.stdout);
    expect(objects.map((object) => [object.metadata.name, keysOf(object)])).toEqual(
      read(plain.stdout).map((object) => [object.metadata.name, keysOf(object)]),
    );
    expect(objects[0]).toMatchObject({
      kind: 'ExternalSecret',
      spec: { data: [{ remoteRef: { key: 'webchat-secrets', property: 'DATABASE_URL' } }, {}, {}, {}] },
    });
    expect(external.stdout).not.toContain('postgres:');
  });

  it.each([
    [{}, ['--redis', 'nonsense'], 'redis:// or rediss:// URL'],
    [{ REDIS_URL: 'http://redis' }, [], 'redis:// or rediss:// URL'],
    [{}, ['--database', 'nonsense'], 'host[:port]/name'],
    [{}, ['--database', 'a b/cxp'], 'host[:port]/name'],
  ])('%j %j: wrong usage', async (environment, options, words) => {
    const result = await runCxp(environment, ['secrets', ...options]);
    expect(result).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(words) as string });
  });
});
