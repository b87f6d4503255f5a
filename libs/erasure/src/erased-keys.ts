import { Statement, textColumn } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { ErasureMode, RecordKey } from './erasure-area';

export interface ErasureReference {
  readonly organizationId: string;
  readonly id: string;
  readonly mode: ErasureMode;
}

/** Of keys that no erasure of the area has erased: their record was erased on the platform. */
export const PLATFORM_ERASURE = '00000000-0000-0000-0000-000000000000';

/** The keys of an area's records that were erased: what stores records looks them up. */
export class ErasedKeys {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(schema: string) {
    this.statements = statementsOf(schema);
  }

  /**
   * How records of these keys were erased. To be called in the transaction that stores them, under the organization's intake turn. A record of
   * such a key is ignored (`delete`), or stored without what was erased (`anonymize`).
   * @returns by `keyText`
   */
  async find(
    manager: EntityManager,
    organizationId: string,
    keys: readonly RecordKey[],
  ): Promise<Map<string, ErasureMode>> {
    if (keys.length === 0) return new Map();
    const found = await this.statements.find.run(manager, [organizationId, ...columnsOf(keys)]);
    return new Map(found.map(({ mode, ...key }) => [keyText(key), mode]));
  }

  /** Keeps the keys of what an erasure has erased. A deletion counts more than an anonymization; the platform takes no keys from a certificate. */
  async add(
    manager: EntityManager,
    { organizationId, id, mode }: ErasureReference,
    keys: readonly RecordKey[],
  ): Promise<void> {
    if (keys.length === 0) return;
    await this.statements.add.run(manager, [organizationId, ...columnsOf(keys), mode, id]);
  }

  /** Keeps the keys of a certificate: each is also pending, until a step has erased what has it. */
  async addAgain(
    manager: EntityManager,
    erasure: ErasureReference,
    keys: readonly RecordKey[],
  ): Promise<void> {
    const types = [...new Set(keys.map(({ type }) => type))];
    const known = new Set((await this.ofErasure(manager, erasure, types)).map(keyText));
    const pending = keys.map(keyText).map((id) => ({ type: pendingType(erasure, known.has(id)), id }));
    await this.add(manager, erasure, [...keys, ...pending]);
  }

  /** Some of the keys that are pending. If the erasure had them before, what has them was counted. */
  async pending(
    manager: EntityManager,
    erasure: ErasureReference,
    limit: number,
  ): Promise<{ readonly type: string; readonly wereKnown: boolean; readonly keys: RecordKey[] } | undefined> {
    for (const wereKnown of [false, true]) {
      const type = pendingType(erasure, wereKnown);
      const keys = await this.statements.pending.run(manager, [erasure.organizationId, type, limit]);
      if (keys.length > 0) return { type, wereKnown, keys };
    }
    return undefined;
  }

  /** @param type of `pending` */
  async removePending(
    manager: EntityManager,
    { organizationId }: ErasureReference,
    type: string,
    keys: readonly RecordKey[],
  ): Promise<void> {
    await this.statements.removePending.run(manager, [organizationId, type, keys.map(keyText)]);
  }

  /**
   * All keys of some types that an erasure has kept; and those of earlier erasures of the same subject: one that was
   * interrupted may be repeated with another id, and the certificate of the first one may be lost.
   */
  async ofErasure(
    manager: EntityManager,
    { organizationId, id }: ErasureReference,
    types: readonly string[],
  ): Promise<RecordKey[]> {
    return this.statements.ofErasure.run(manager, [organizationId, id, types]);
  }
}

/** A text that is another one for each key. */
export function keyText({ type, id }: RecordKey): string {
  return `${type} ${id}`;
}

/** The type of rows whose ids are the pending keys of an erasure, as `keyText`: the primary key finds them. */
function pendingType({ id }: ErasureReference, wereKnown: boolean): string {
  return `${wereKnown ? 'known' : 'new'} of ${id}`;
}

function columnsOf(keys: readonly RecordKey[]): readonly (readonly string[])[] {
  return [keys.map(({ type }) => type), keys.map(({ id }) => id)];
}

function statementsOf(schema: string) {
  const table = `${schema}.erased_key`;
  const key = { type: textColumn('erased.type'), id: textColumn('erased.id') };
  return {
    // OFFSET 0: a lookup of the primary key for each key, however many rows PostgreSQL expects; none if the organization has erased nothing.
    find: new Statement(
      { ...key, mode: textColumn<ErasureMode>('erased.mode') },
      (list) => `SELECT ${list} FROM unnest($2::text[], $3::text[]) AS wanted (type, id)
       CROSS JOIN LATERAL (
         SELECT type, id, mode FROM ${table}
         WHERE organization_id = $1 AND type = wanted.type AND id = wanted.id OFFSET 0
       ) AS erased
       WHERE EXISTS (SELECT FROM ${table} WHERE organization_id = $1)`,
    ),
    add: new Statement(
      {},
      `INSERT INTO ${table} AS known (organization_id, type, id, mode, erasure_id)
       SELECT DISTINCT $1, type, id, $4, $5::uuid FROM unnest($2::text[], $3::text[]) AS erased (type, id)
       ON CONFLICT (organization_id, type, id) DO UPDATE SET mode = excluded.mode,
         erasure_id = CASE excluded.erasure_id WHEN '${PLATFORM_ERASURE}' THEN known.erasure_id ELSE excluded.erasure_id END
       WHERE known.mode <> 'delete'`,
    ),
    pending: new Statement(
      {
        type: textColumn("split_part(id, ' ', 1)"),
        id: textColumn("substr(id, strpos(id, ' ') + 1)"),
      },
      (list) =>
        `SELECT ${list} FROM ${table} WHERE organization_id = $1 AND type = $2 ORDER BY erased_key.id LIMIT $3`,
    ),
    removePending: new Statement(
      {},
      `DELETE FROM ${table} WHERE organization_id = $1 AND type = $2 AND id = ANY ($3::text[])`,
    ),
    ofErasure: new Statement(
      key,
      (list) => `SELECT ${list} FROM ${table} AS erased
       WHERE organization_id = $1 AND type = ANY ($3::text[]) AND (erasure_id = $2 OR erasure_id IN (
         SELECT same.id FROM ${schema}.erasure JOIN ${schema}.erasure AS same USING (organization_id, subject_hash)
         WHERE organization_id = $1 AND erasure.id = $2
       ))
       ORDER BY erased.type, erased.id`,
    ),
  };
}
