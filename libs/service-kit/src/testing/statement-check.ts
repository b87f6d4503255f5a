import { loadModule } from 'libpg-query';
import type { Pool } from 'pg';
import type { DataSource } from 'typeorm';
import { Client } from 'pg';
import { tablesOf, undistributable, type DatabaseArea } from '@cxp/storage';
import { statementProblems, statementsOfFunction } from './statement-rules';

/** Statements that ask each shard, and why they may: almost all are background work, which no request waits for. */
const OVER_ALL_ORGANIZATIONS = [
  { of: /FROM survey\.link_address WHERE public_id = \$1$/, reason: 'a respondent knows no organization' },
  { of: /FROM contact_center\.human_schedule ORDER BY/, reason: 'computes rows again for new timezone data' },
  {
    of: /WHERE organization_id > \$1 ORDER BY organization_id LIMIT 1/,
    reason: 'finds the next organization',
  },
  { of: /JOIN webchat\.conversation USING \(organization_id, id\)/, reason: 'one question for all sockets' },
  {
    of: /FROM \w+\.erasure WHERE erased_at IS NULL/,
    reason: 'continues erasures, of whichever organization',
  },
  {
    of: /FROM survey\.campaign CROSS JOIN LATERAL/,
    reason: 'finds what has expired, of whichever organization',
  },
  {
    of: /FROM unnest\(\$1::text\[\]\) AS organization/,
    reason: 'finds the organizations that have something to deliver',
  },
  { of: /^SELECT \(coalesce\(extract.* FROM webchat\.undelivered$/, reason: 'a metric of all organizations' },
  {
    of: /webchat\.undelivered .*\$1::text IS NULL OR/s,
    reason: 'an operator asks, of one organization or all',
  },
  {
    of: /GROUP BY organization_id ORDER BY organization_id$/,
    reason: 'finds the organizations that have rows',
  },
  { of: /^SELECT DISTINCT \(organization_id\)/, reason: 'finds the organizations that have old removals' },
  {
    of: /^(DELETE FROM|UPDATE) contact_center\.record .*WHERE removed_at </s,
    reason: 'forgets old removals',
  },
  {
    of: /FROM \w+\.webhook_endpoint (LEFT JOIN|GROUP BY)/,
    reason: 'sends hints to endpoints, of whichever organization',
  },
  { of: /FROM \w+\.change_feed .*organization_id = ANY/s, reason: 'one question for all readers that wait' },
];

/** What services have sent since the last check. A statement that is copied has its values in its text: they are taken out. */
const sent = new Set<string>();

/** Of all databases of this process: their schemas have different names, or are the same. */
const catalog = {
  tables: new Set<string>(),
  identities: new Set<string>(),
  volatilities: new Map<string, 'i' | 's' | 'v'>(),
};

const prototype = Client.prototype as unknown as { query: (...parameters: unknown[]) => unknown };
const { query } = prototype;
prototype.query = function (
  this: Client & { connectionParameters: { application_name?: string } },
  ...parameters
) {
  // Those of tests have no name.
  if (!this.connectionParameters.application_name) return query.apply(this, parameters);
  const [statement] = parameters as [string | { text: string }];
  const text = typeof statement === 'string' ? statement : statement.text;
  sent.add(text.startsWith('COPY') ? text.replaceAll(/'[^']*'/g, `''`) : text);
  return query.apply(this, parameters);
};

/**
 * Looks at the tables of an area, at its functions, and at each statement that services of this process send.
 * @returns throws if Citus can't distribute a table, or a statement breaks a rule of `statementProblems`
 */
export async function checkStatements(dataSource: DataSource, { schema }: DatabaseArea): Promise<() => void> {
  await loadModule();
  // TypeORM's name for the pool; its types do not know it.
  const { master: pool } = dataSource.driver as unknown as { master: Pool };
  for (const { name, isOfOrganizations } of await tablesOf(pool, schema)) {
    if (isOfOrganizations) catalog.tables.add(name);
  }
  const identities = await dataSource.query<{ name: string }[]>(
    `SELECT attrelid::regclass::text AS name FROM pg_attribute WHERE attidentity <> ''`,
  );
  for (const { name } of identities) catalog.identities.add(name);
  const functions = await dataSource.query<{ name: string; volatility: 'i' | 's' | 'v' }[]>(
    `SELECT proname AS name, min(provolatile) AS volatility FROM pg_proc GROUP BY proname`,
  );
  for (const { name, volatility } of functions) catalog.volatilities.set(name, volatility);
  const bodies = await dataSource.query<{ definition: string }[]>(
    `SELECT pg_get_functiondef(pg_proc.oid) AS definition FROM pg_proc JOIN pg_language ON pg_language.oid = prolang
     WHERE lanname = 'plpgsql' AND pronamespace = $1::regnamespace`,
    [schema],
  );
  for (const text of bodies.flatMap(({ definition }) => statementsOfFunction(definition))) sent.add(text);
  const tableProblems = await undistributable(pool, schema);
  return () => {
    const broken = [...sent]
      .map((text) => ({ text, problems: statementProblems(text, catalog) }))
      .filter(
        ({ text, problems }) =>
          problems.length > 0 && !OVER_ALL_ORGANIZATIONS.some(({ of }) => of.test(text.trim())),
      );
    sent.clear();
    const lines = [
      ...tableProblems,
      ...broken.map(({ text, problems }) => `${problems.join('; ')}:\n${text}`),
    ];
    if (lines.length > 0) throw new Error(lines.join('\n\n'));
  };
}
