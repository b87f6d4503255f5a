import { Client } from 'pg';
import type { Grants } from '@cxp/storage';

/** What PostgreSQL answers to a statement that needs a right which the role does not have. */
const NOT_ALLOWED = '42501';

/** They need no right on a table. */
const WITHOUT_TABLES = /^(START TRANSACTION|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|SHOW|LISTEN)\b/i;

/** The statements that each role has sent, each once, over all connections of this process until the end of the test file. */
export class SentStatements {
  private readonly texts = new Map<string, Set<string>>();

  constructor() {
    const { texts } = this;
    const prototype = Client.prototype as unknown as {
      query: (this: Client, ...parameters: unknown[]) => unknown;
    };
    const { query } = prototype;
    jest.spyOn(prototype, 'query').mockImplementation(function (this: Client, ...parameters) {
      const [statement] = parameters as [string | { text: string }];
      const role = this.user!;
      const ofRole = texts.get(role) ?? new Set();
      texts.set(role, ofRole.add(typeof statement === 'string' ? statement : statement.text));
      return query.apply(this, parameters);
    });
  }

  /** Those that PostgreSQL can explain: of a COPY what it reads, or an INSERT that needs what it does. */
  explainable(role: string): string[] {
    return [...(this.texts.get(role) ?? [])]
      .map((text) => text.trim())
      .filter((text) => !WITHOUT_TABLES.test(text))
      .map((text) => /^COPY \(([^]*)\) TO STDOUT/.exec(text)?.[1] ?? text)
      .map((text) =>
        text.replace(/^COPY (\S+) \(([^)]*)\) FROM STDIN$/, (_, table: string, columns: string) => {
          const values = columns.split(',').map((_column, i) => `$${i + 1}`);
          return `INSERT INTO ${table} (${columns}) VALUES (${values.join(', ')})`;
        }),
      );
  }
}

/** How a statement of a function names the table that it needs a right on. PostgreSQL explains none of them. */
const STATEMENTS_OF: Readonly<Record<string, string>> = {
  SELECT: '(FROM|JOIN)',
  INSERT: 'INSERT INTO',
  UPDATE: 'UPDATE',
  DELETE: 'DELETE FROM',
};

/** Which rights of a role no statement needs, and no function of the schema. */
export async function unusedRights(
  client: Client,
  role: string,
  schema: string,
  grants: Grants,
  statements: readonly string[],
): Promise<string[]> {
  const unused: string[] = [];
  const { rows: functions } = await client.query<{ body: string }>(
    `SELECT prosrc AS body FROM pg_proc WHERE pronamespace = $1::regnamespace AND prolang = (SELECT oid FROM pg_language WHERE lanname = 'plpgsql')`,
    [schema],
  );
  for (const [table, privileges] of Object.entries(grants)) {
    const about = statements.filter((text) => text.includes(table));
    for (const privilege of privileges) {
      const withoutIt = `REVOKE ${privilege} ON ${schema}.${table} FROM ${role}`;
      const inFunction = new RegExp(String.raw`${STATEMENTS_OF[privilege]} ${schema}\.${table}\b`);
      const isNeeded =
        functions.some(({ body }) => inFunction.test(body)) ||
        (await refusedOf(client, role, about, [withoutIt])).length > 0;
      if (!isNeeded) unused.push(`${privilege} ${schema}.${table}`);
    }
  }
  return unused;
}

/** The statements that a role may not run. PostgreSQL checks rights when it explains a statement, which it does without values. */
export async function refusedOf(
  client: Client,
  role: string,
  statements: readonly string[],
  opening: readonly string[] = [],
): Promise<string[]> {
  const refused: string[] = [];
  await client.query(['BEGIN', ...opening, `SET LOCAL ROLE ${role}`].join('; '));
  for (const text of statements) {
    await client.query('SAVEPOINT before');
    try {
      await client.query(`EXPLAIN (GENERIC_PLAN) ${text}`);
    } catch (error) {
      if ((error as { code?: string }).code !== NOT_ALLOWED) throw new Error(text, { cause: error });
      refused.push(text);
    }
    await client.query('ROLLBACK TO before');
  }
  await client.query('ROLLBACK');
  return refused;
}
