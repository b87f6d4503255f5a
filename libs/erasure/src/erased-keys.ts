import { Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { RecordKey } from './eraser';

/** The keys of erased records: writers of records look them up. */
export class ErasedKeys {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(schema: string) {
    this.statements = statementsOf(schema);
  }

  /**
   * The caller's transaction stores records under the organization's lock.
   * @returns as `keyText`
   */
  async find(
    manager: EntityManager,
    organizationId: string,
    keys: readonly RecordKey[],
  ): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const found = await this.statements.find.run(manager, { organizationId, ...columnsOf(keys) });
    return new Set(found.map(keyText));
  }

  async add(manager: EntityManager, organizationId: string, keys: readonly RecordKey[]): Promise<void> {
    if (keys.length > 0) await this.statements.add.run(manager, { organizationId, ...columnsOf(keys) });
  }
}

/** Unique for each key. */
export function keyText({ type, id }: RecordKey): string {
  return `${type} ${id}`;
}

function columnsOf(keys: readonly RecordKey[]) {
  return { types: keys.map(({ type }) => type), ids: keys.map(({ id }) => id) };
}

function statementsOf(schema: string) {
  const table = `${schema}.erased_key`;
  return {
    // OFFSET 0 forces a lookup of the primary key for each key, however many rows PostgreSQL expects.
    find: new Statement(
      { organizationId: 'text', types: 'text[]', ids: 'text[]' },
      { type: textColumn('erased.type'), id: textColumn('erased.id') },
      (list) => `SELECT ${list} FROM unnest($types, $ids) AS wanted (type, id)
       CROSS JOIN LATERAL (
         SELECT type, id FROM ${table}
         WHERE organization_id = $organizationId AND type = wanted.type AND id = wanted.id OFFSET 0
       ) AS erased
       WHERE EXISTS (SELECT FROM ${table} WHERE organization_id = $organizationId)`,
    ),
    add: new Statement(
      { organizationId: 'text', types: 'text[]', ids: 'text[]' },
      {},
      `INSERT INTO ${table} (organization_id, type, id)
       SELECT DISTINCT $organizationId, type, id FROM unnest($types, $ids) AS erased (type, id)
       ON CONFLICT DO NOTHING`,
    ),
  };
}
