import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { printResult, UsageError } from './environment';

interface Options {
  readonly database: string;
  readonly redis?: string;
  readonly roles?: string;
  readonly output?: string;
  readonly external?: string;
  readonly json?: boolean;
}

/** A file that exists may hold passwords that are in use. */
const OWNERS_NEW_FILE = { mode: 0o600, flag: 'wx' };

/** A password that needs no escaping in a URL, and a key as WEBHOOK_SECRET_KEYS and the like hold them. */
const newPassword = () => randomBytes(24).toString('hex');
const newKey = () => `first:${randomBytes(32).toString('hex')}`;

export function secretsCommand(): Command {
  return new Command('secrets')
    .description('print the secrets of an installation in Kubernetes, with new keys and passwords')
    .option('--database <host/name>', 'PostgreSQL, as in a URL: host[:port]/name[?sslmode=…]', 'postgres/cxp')
    .option('--redis <url>', 'without a password in it; default: REDIS_URL, else redis://redis')
    .option('--roles <file>', 'write SQL there that gives the passwords to the roles of PostgreSQL')
    .option('--output <file>', 'write the secrets there, for its owner alone, instead of printing them')
    .option('--external <store>', 'print ExternalSecrets of this ClusterSecretStore, without values')
    .option('--json', 'print one JSON object')
    .action(({ database, redis, roles, output, external, json }: Options) => {
      const givenRedis = redis ?? process.env.REDIS_URL;
      const redisUrl = givenRedis ?? 'redis://redis';
      if (!URL.canParse(redisUrl) || !/^rediss?:\/\/./.test(redisUrl))
        throw new UsageError('--redis or REDIS_URL is no redis:// or rediss:// URL');
      if (!URL.canParse(`postgres://${database}`) || !/^[^/?]+\/[^/?]+/.test(database))
        throw new UsageError(`--database is no host[:port]/name: ${database}`);
      const { secrets, passwords } = newSecrets(database, redisUrl);
      if (roles && !external) {
        const lines = Object.entries(passwords).map(
          ([role, value]) => `ALTER ROLE ${role} PASSWORD '${value}';\n`,
        );
        writeFileSync(roles, `SET log_statement = 'none';\n${lines.join('')}`, OWNERS_NEW_FILE);
      }
      const items = Object.entries(secrets).map(([name, data]) =>
        external ? externalSecret(name, data, external) : secret(name, data),
      );
      const text = items.map((item) => JSON.stringify(item, undefined, 2)).join('\n---\n');
      if (output) writeFileSync(output, `${text}\n`, OWNERS_NEW_FILE);
      if (!givenRedis && !external)
        process.stderr.write(`cxp: REDIS_URL is not set: the secrets name ${redisUrl}, without a password\n`);
      if (!output) printResult({ json: { apiVersion: 'v1', kind: 'List', items }, text }, json);
    });
}

type Values = Readonly<Record<string, string>>;

/** @returns the secrets by their names, and the passwords of the roles */
export function newSecrets(database: string, redisUrl: string) {
  const passwords: Record<string, string> = {};
  const urlOf = (role: string) => {
    passwords[role] ??= newPassword();
    return `postgres://${role}:${passwords[role]}@${database}`;
  };
  const ofArea = (role: string, keys: Values): Values => ({
    DATABASE_URL: urlOf(`${role}_service`),
    REDIS_URL: redisUrl,
    ...keys,
  });
  const ofMigration = (role: string): Values => ({ MIGRATION_DATABASE_URL: urlOf(`${role}_owner`) });
  // webchat signs with it, contact-center verifies.
  const SERVICE_TOKEN_KEYS = newKey();
  const secrets: Readonly<Record<string, Values>> = {
    'webchat-secrets': ofArea('webchat', { WEBCHAT_SESSION_TOKEN_KEYS: newKey(), SERVICE_TOKEN_KEYS }),
    'webchat-migration-secrets': ofMigration('webchat'),
    'contact-center-secrets': ofArea('contact_center', { SERVICE_TOKEN_KEYS, WEBHOOK_SECRET_KEYS: newKey() }),
    'contact-center-migration-secrets': ofMigration('contact_center'),
    'survey-secrets': ofArea('survey', { WEBHOOK_SECRET_KEYS: newKey() }),
    'survey-migration-secrets': ofMigration('survey'),
    'cxp-secrets': { DATABASE_URL: urlOf('cxp_operator'), REDIS_URL: redisUrl },
    'backup-secrets': { BACKUP_DATABASE_URL: urlOf('cxp_backup') },
  };
  return { secrets, passwords };
}

function secret(name: string, stringData: Values) {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', stringData };
}

/** Of the External Secrets Operator: the store has an entry of the same name, with the same keys. */
function externalSecret(name: string, values: Values, store: string) {
  const data = Object.keys(values).map((key) => ({
    secretKey: key,
    remoteRef: { key: name, property: key },
  }));
  return {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name },
    spec: { secretStoreRef: { kind: 'ClusterSecretStore', name: store }, target: { name }, data },
  };
}
