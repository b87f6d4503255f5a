import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { accessDatabase } from '@cxp/auth-headers';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  redisBinary,
  startGuarded,
  startPostgres,
  waitUntilReady,
  type GuardedProcess,
  type LocalServer,
} from '@cxp/testing/local-servers';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { databases } from '@cxp/areas/wiring';
import { startBuilt, survey } from '../src/service-under-test';
import { connectRedis, migrate, openDatabase } from '@cxp/storage';
import { makeAuthority, type Authority } from './authority';
import { migrateBuilt, OperatedServer } from '../src/operated-server';

/** Whom PostgreSQL asks for a certificate. */
const CERTIFIED_ROLE = 'certified';

let directory: string;
let authority: Authority;
let postgres: LocalServer;
let redises: Record<'any' | 'certified', { process: GuardedProcess; port: number }>;
let caller: Caller;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-tls-'));
  authority = await makeAuthority(join(directory, 'tls'));
  const server = await authority.issue('localhost', ['localhost', '127.0.0.1', '::1']);
  await authority.issue(CERTIFIED_ROLE);
  const data = join(directory, 'postgres');
  postgres = await startPostgres({
    directory: data,
    settings: [
      'listen_addresses=127.0.0.1,127.0.0.2,::1',
      'ssl=on',
      `ssl_cert_file=${server.cert}`,
      `ssl_key_file=${server.key}`,
      `ssl_ca_file=${authority.file}`,
    ],
  });
  const operated = new OperatedServer(postgres);
  for (const area of databases) await migrate(area, postgres.url);
  await operated.execute('postgres', `CREATE ROLE ${CERTIFIED_ROLE} SUPERUSER LOGIN`);
  const administrator = await openDatabase(postgres.url, [accessDatabase]);
  caller = await issueTestToken(administrator);
  await administrator.destroy();
  const rules = [`hostssl all ${CERTIFIED_ROLE} all cert`, 'hostssl all all all trust'];
  writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
  await operated.execute('postgres', 'SELECT pg_reload_conf()');
  redises = { any: await startTlsRedis('no'), certified: await startTlsRedis('yes') };

  async function startTlsRedis(authClients: string) {
    const { path, env } = await redisBinary();
    const port = await freePort();
    const process = startGuarded({
      command: [
        path,
        ...['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '127.0.0.2', '::1'],
        ...[
          '--tls-cert-file',
          server.cert,
          '--tls-key-file',
          server.key,
          '--tls-ca-cert-file',
          authority.file,
        ],
        ...['--tls-auth-clients', authClients, '--save', '', '--dir', directory],
      ],
      env,
    });
    await waitUntilReady(process, () => process.output().includes('eady to accept connections'));
    return { process, port };
  }
}, 120_000);

afterAll(async () => {
  await postgres?.stop();
  for (const { process } of Object.values(redises ?? {})) await process.stop();
  rmSync(directory, { recursive: true, force: true });
});

const parameters = (own: Record<string, string>) => new URLSearchParams(own).toString();

function postgresUrl(own: Record<string, string>, { host = 'localhost', role = 'postgres' } = {}): string {
  return `postgres://${role}@${host}:${new URL(postgres.url).port}/postgres?${parameters(own)}`;
}

function redisUrl(
  own: Record<string, string>,
  host = 'localhost',
  which: keyof typeof redises = 'any',
): string {
  return `rediss://${host}:${redises[which].port}?${parameters(own)}`;
}

const ca = () => ({ sslrootcert: authority.file });
const certificate = () => {
  const { cert, key } = authority.files(CERTIFIED_ROLE);
  return { ...ca(), sslcert: cert, sslkey: key };
};

/** The rows of docker/tls.md. */
const FORMS: readonly [string, () => Record<string, string>][] = [
  [
    'an authority that the URLs name',
    () => ({
      DATABASE_URL: postgresUrl({ sslmode: 'verify-full', ...ca() }),
      REDIS_URL: redisUrl(ca()),
    }),
  ],
  [
    'an authority for the whole process',
    () => ({
      DATABASE_URL: postgresUrl({ sslmode: 'verify-full' }),
      REDIS_URL: redisUrl({}),
      NODE_EXTRA_CA_CERTS: authority.file,
    }),
  ],
  [
    'certificates of the client',
    () => ({
      DATABASE_URL: postgresUrl({ sslmode: 'verify-full', ...certificate() }, { role: CERTIFIED_ROLE }),
      REDIS_URL: redisUrl(certificate(), 'localhost', 'certified'),
    }),
  ],
  [
    'IPv6',
    () => ({
      DATABASE_URL: postgresUrl({ sslmode: 'verify-full', ...ca() }, { host: '[::1]' }),
      REDIS_URL: redisUrl(ca(), '[::1]'),
    }),
  ],
  [
    'encryption without a check of who answers',
    () => ({
      DATABASE_URL: postgresUrl({ sslmode: 'no-verify' }, { host: '127.0.0.2' }),
      REDIS_URL: redisUrl(ca()),
    }),
  ],
];

it.each(FORMS)(
  'a service serves with %s',
  async (_, environment) => {
    const service = await startBuilt(survey, { ...environment(), SHUTDOWN_DRAIN_SECONDS: '0' });
    try {
      const path = '/external/survey-campaigns';
      expect((await send(service.url, { method: 'GET', path, headers: caller.headers })).status).toBe(200);
    } finally {
      await service.stop();
    }
  },
  60_000,
);

it('sslmode=require is checked as verify-full is, with one line that says so', async () => {
  const DATABASE_URL = postgresUrl({ sslmode: 'require', ...ca() });
  const service = await startBuilt(survey, {
    DATABASE_URL,
    REDIS_URL: redisUrl(ca()),
    SHUTDOWN_DRAIN_SECONDS: '0',
  });
  await service.stop();
  const lines = service
    .output()
    .split('\n')
    .filter((line) => /SSL|ssl/.test(line));
  expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ level: 'warn', msg: expect.stringMatching(/aliases for 'verify-full'/) }),
  ]);
  await expect(
    migrateBuilt(survey.name, { DATABASE_URL: postgresUrl({ sslmode: 'require' }) }),
  ).rejects.toThrow(/certificate in certificate chain/);
});

it.each([
  ['an unknown authority', () => postgresUrl({ sslmode: 'verify-full' }), /certificate in certificate chain/],
  [
    'a certificate of another host',
    () => postgresUrl({ sslmode: 'verify-full', ...ca() }, { host: '127.0.0.2' }),
    /does not match certificate's altnames/,
  ],
  ['no encryption', () => postgresUrl({}), /no encryption/],
])('a migration ends with one line because of %s', async (_, url, reason) => {
  const { stderr } = (await migrateBuilt(survey.name, { DATABASE_URL: url() }).catch(
    (error: unknown) => error,
  )) as { stderr: string };
  expect(stderr).toMatch(/^migrate: .*\n$/);
  expect(stderr).toMatch(reason);
});

it.each([
  ['an unknown authority', () => redisUrl({}), /certificate in certificate chain/],
  [
    'no certificate where one is asked for',
    () => redisUrl(ca(), 'localhost', 'certified'),
    /certificate required|ECONNRESET/,
  ],
])('Redis can not be used because of %s', async (_, url, reason) => {
  const redis = connectRedis(url());
  const [error] = (await once(redis, 'error')) as [Error];
  redis.disconnect();
  expect(error.message).toMatch(reason);
});

it('a file that REDIS_URL names and that is not there stops the start with one line', async () => {
  const REDIS_URL = redisUrl({ sslcert: '/not/there' });
  const DATABASE_URL = postgresUrl({ sslmode: 'verify-full', ...ca() });
  await expect(startBuilt(survey, { DATABASE_URL, REDIS_URL })).rejects.toThrow(
    /survey-api: REDIS_URL: sslcert can't be read: ENOENT/,
  );
});
