import {
  inPieces,
  jsonColumn,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  textsColumn,
  timeColumn,
  UnscopedStatement,
} from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import type { Found, RecordKey } from './erasure-area';
import type { Subject } from './subject';

export interface ErasureKey {
  readonly organizationId: string;
  readonly id: string;
}

export type Erasure = RowOf<typeof ERASURE>;

const ERASURE = {
  organizationId: textColumn('organization_id'),
  id: textColumn('id'),
  /** null once it is done, and for a repeated erasure. */
  subject: nullable(jsonColumn<Subject>('subject')),
  requestedAt: timeColumn('requested_at'),
  /** null until it is done. */
  erasedAt: nullable(timeColumn('erased_at')),
  found: jsonColumn<Found>('found'),
  lastChange: nullable(numberColumn('last_change')),
};

/** The trusted part of a certificate. */
export interface KeptCertificate extends ErasureKey {
  readonly requestedAt: Date;
  readonly found: Found;
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

export interface KeysLeft {
  readonly part: number;
  readonly keys: readonly RecordKey[];
}

/** Keys of one part of a repeated erasure's certificate. */
const KEYS_PER_PART = 500;

/** The parts that one statement stores or reads, and after how many bytes it reads no more. */
const PARTS_AT_ONCE = 100;
const BYTES_AT_ONCE = 512 * 1_024;

/** Seconds; doubled by each failure up to the longest pause. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 600;

export class ErasureRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(schema: string) {
    this.statements = statementsOf(schema);
  }

  async add(manager: EntityManager, { organizationId, id }: ErasureKey, subject: Subject): Promise<void> {
    await this.statements.add.count(manager, [organizationId, id, JSON.stringify(subject)]);
  }

  /** Begins to repeat an erasure, unless its id is known. */
  async addAgain(
    manager: EntityManager,
    { organizationId, id, requestedAt, found, keys }: KeptCertificate,
  ): Promise<void> {
    const values = [organizationId, id, requestedAt, JSON.stringify(found)] as const;
    if ((await this.statements.addAgain.count(manager, values)) === 0) return;
    // An incomplete restore may have left some.
    await this.statements.deleteParts.count(manager, [organizationId, id]);
    const parts = Object.entries(keys).flatMap(([type, ids]) =>
      Array.from(inPieces(ids, KEYS_PER_PART), (some) => ({ type, ids: some })),
    );
    let first = 1;
    for (const some of inPieces(parts, PARTS_AT_ONCE)) {
      await this.statements.addParts.count(manager, [organizationId, id, first, JSON.stringify(some), true]);
      first += some.length;
    }
  }

  find(manager: EntityManager, { organizationId, id }: ErasureKey): Promise<Erasure | undefined> {
    return this.statements.find.first(manager, [organizationId, id]);
  }

  /**
   * The keys of a type in a certificate, each once; those of each read sorted. A step finds those again of which the one before has left
   * something: they are in both parts.
   */
  async *keysOf(
    manager: EntityManager,
    { organizationId, id }: ErasureKey,
    type: string,
  ): AsyncGenerator<string[], void> {
    let before = new Set<string>();
    for (let last = 0; ;) {
      const parts = await this.statements.keysOf.run(manager, [organizationId, id, type, last]);
      if (parts.length === 0) return;
      const found = new Set(parts.flatMap(({ ids }) => ids));
      const ids = [...found].filter((id) => !before.has(id)).sort();
      if (ids.length > 0) yield ids;
      before = new Set(parts.at(-1)!.ids);
      last = parts.at(-1)!.part;
    }
  }

  /** Ordered by waiting time. */
  due(manager: EntityManager, limit: number): Promise<ErasureKey[]> {
    return this.statements.due.run(manager, [limit]);
  }

  /**
   * Takes the next step. If the process ends or the step fails, it is due again after a pause.
   * @returns false if the erasure is done or not due
   */
  async claim(manager: EntityManager, { organizationId, id }: ErasureKey): Promise<boolean> {
    return (await this.statements.claim.count(manager, [organizationId, id])) > 0;
  }

  /** @returns undefined if it is done, or another process has it */
  lock(manager: EntityManager, { organizationId, id }: ErasureKey): Promise<Erasure | undefined> {
    return this.statements.lock.first(manager, [organizationId, id]);
  }

  /** The unfinished keys of a repeated erasure. */
  async left(manager: EntityManager, { organizationId, id }: ErasureKey): Promise<KeysLeft | undefined> {
    const found = await this.statements.left.first(manager, [organizationId, id]);
    return found && { part: found.part, keys: found.ids.map((each) => ({ type: found.type, id: each })) };
  }

  async endPart(manager: EntityManager, { organizationId, id }: ErasureKey, part: number): Promise<void> {
    await this.statements.endPart.count(manager, [organizationId, id, part]);
  }

  async note(
    manager: EntityManager,
    { organizationId, id, found }: Erasure,
    more: Found,
    keys: readonly RecordKey[],
  ): Promise<void> {
    await this.statements.note.count(manager, [organizationId, id, JSON.stringify(sumOf(found, more))]);
    const types = [...new Set(keys.map(({ type }) => type))];
    const parts = types.map((type) => ({
      type,
      ids: keys.filter((key) => key.type === type).map((key) => key.id),
    }));
    await this.statements.addParts.count(manager, [organizationId, id, null, JSON.stringify(parts), false]);
  }

  /** The next step needs no pause. */
  async succeed(manager: EntityManager, { organizationId, id }: ErasureKey): Promise<void> {
    await this.statements.succeed.count(manager, [organizationId, id]);
  }

  async finish(
    manager: EntityManager,
    { organizationId, id }: ErasureKey,
    lastChange: number | null,
  ): Promise<void> {
    await this.statements.finish.count(manager, [organizationId, id, lastChange]);
  }
}

export function sumOf(one: Found, other: Found): Found {
  const sums: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

function statementsOf(schema: string) {
  const table = `${schema}.erasure`;
  const keys = `${schema}.erasure_keys`;
  const isErasure = 'organization_id = $1 AND id = $2';
  const isOfErasure = 'organization_id = $1 AND erasure_id = $2';
  return {
    add: new Statement(
      {},
      `INSERT INTO ${table} (organization_id, id, subject) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
    ),
    addAgain: new Statement(
      {},
      `INSERT INTO ${table} (organization_id, id, requested_at, found) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
    ),
    deleteParts: new Statement({}, `DELETE FROM ${keys} WHERE ${isOfErasure}`),
    // $3 number of the first part; null: after the last one.
    addParts: new Statement(
      {},
      `INSERT INTO ${keys} (organization_id, erasure_id, part, type, ids, is_left)
       SELECT $1, $2::uuid, coalesce($3::integer, (SELECT coalesce(max(part), 0) + 1 FROM ${keys} WHERE ${isOfErasure})) + place - 1,
         type, ids, $5::boolean
       FROM ROWS FROM (json_to_recordset($4) AS (type text, ids text[])) WITH ORDINALITY AS added (type, ids, place)`,
    ),
    find: new Statement(ERASURE, (list) => `SELECT ${list} FROM ${table} WHERE ${isErasure}`),
    // $3 type, $4 the last part that was read.
    keysOf: new Statement(
      { part: numberColumn('part'), ids: textsColumn('ids') },
      (list) => `SELECT ${list} FROM (
        SELECT part, ids, sum(bytes) OVER (ORDER BY part) - bytes AS bytes_before FROM (
          SELECT part, ids, octet_length(ids::text) AS bytes FROM ${keys}
          WHERE ${isOfErasure} AND type = $3 AND part > $4 ORDER BY part LIMIT ${PARTS_AT_ONCE}
        ) AS next
      ) AS next WHERE bytes_before < ${BYTES_AT_ONCE} ORDER BY part`,
    ),
    due: new UnscopedStatement(
      { organizationId: textColumn('organization_id'), id: textColumn('id') },
      (list) =>
        `SELECT ${list} FROM ${table} WHERE erased_at IS NULL AND next_try_at <= now() ORDER BY next_try_at LIMIT $1`,
    ),
    claim: new Statement(
      {},
      `UPDATE ${table} SET attempts = attempts + 1,
         next_try_at = now() + interval '1 second' * LEAST(${FIRST_PAUSE} * 2 ^ LEAST(attempts, 20), ${LONGEST_PAUSE})
       WHERE ${isErasure} AND erased_at IS NULL AND next_try_at <= now()`,
    ),
    lock: new Statement(
      ERASURE,
      (list) =>
        `SELECT ${list} FROM ${table} WHERE ${isErasure} AND erased_at IS NULL FOR UPDATE SKIP LOCKED`,
    ),
    left: new Statement(
      { part: numberColumn('part'), type: textColumn('type'), ids: textsColumn('ids') },
      (list) => `SELECT ${list} FROM ${keys} WHERE ${isOfErasure} AND is_left ORDER BY part LIMIT 1`,
    ),
    endPart: new Statement({}, `UPDATE ${keys} SET is_left = false WHERE ${isOfErasure} AND part = $3`),
    note: new Statement({}, `UPDATE ${table} SET found = $3 WHERE ${isErasure}`),
    succeed: new Statement({}, `UPDATE ${table} SET attempts = 0, next_try_at = now() WHERE ${isErasure}`),
    finish: new Statement(
      {},
      `UPDATE ${table} SET subject = NULL, subject_hash = NULL, erased_at = now(), last_change = $3 WHERE ${isErasure}`,
    ),
  };
}
