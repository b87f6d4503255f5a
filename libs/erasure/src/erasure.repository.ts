import {
  bigintAsNumber,
  inPieces,
  memoize,
  numberColumn,
  Statement,
  textColumn,
  textsColumn,
  UnscopedStatement,
  withRepository,
} from '@cxp/storage';
import {
  Column,
  Entity,
  type EntityManager,
  Index,
  IsNull,
  PrimaryColumn,
  Raw,
  type Repository,
} from 'typeorm';
import type { Found, RecordKey, Subject } from './erasure-area';

// Only SQL can describe its condition.
@Index('erasure_due', { synchronize: false })
export abstract class Erasure {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('uuid')
  readonly id!: string;

  /** null once it is done, and for a repeated erasure. */
  @Column('json', { nullable: true })
  readonly subject!: Subject | null;

  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3, default: () => 'now()' })
  readonly requestedAt!: Date;

  /** null until it is done. */
  @Column({ type: 'timestamptz', name: 'erased_at', precision: 3, nullable: true })
  readonly erasedAt!: Date | null;

  @Column('json', { default: {} })
  readonly found!: Found;

  @Column('bigint', { name: 'last_change', nullable: true, transformer: bigintAsNumber })
  readonly lastChange!: number | null;

  /** Of steps that have not succeeded since the last one that has. */
  @Column('integer', { default: 0 })
  readonly attempts!: number;

  @Column('timestamptz', { name: 'next_try_at', default: () => 'now()' })
  readonly nextTryAt!: Date;
}

/** Each area has its own table. */
export const erasureEntity = memoize((schema: string): new () => Erasure => {
  @Entity({ schema, name: 'erasure' })
  class AreaErasure extends Erasure {}
  return AreaErasure;
});

export interface ErasureKey {
  readonly organizationId: string;
  readonly id: string;
}

/** The trusted part of a certificate. */
export interface KeptCertificate extends ErasureKey {
  readonly requestedAt: Date;
  readonly found: Found;
  readonly keys: Readonly<Record<string, readonly string[]>>;
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

  constructor(private readonly schema: string) {
    this.statements = statementsOf(schema);
  }

  /** @returns false if its id is known */
  add(manager: EntityManager, erasure: ErasureKey & Partial<Erasure>): Promise<boolean> {
    return this.use(manager, erasure, async (erasures) => {
      const insert = erasures.createQueryBuilder().insert().values(erasure).orIgnore().returning('id');
      const inserted = (await insert.updateEntity(false).execute()).raw as object[];
      return inserted.length > 0;
    });
  }

  /** Begins to repeat an erasure, unless its id is known. */
  async addAgain(manager: EntityManager, { keys, ...erasure }: KeptCertificate): Promise<void> {
    if (!(await this.add(manager, erasure))) return;
    const { organizationId, id } = erasure;
    // An incomplete restore may have left some.
    await this.statements.deleteParts.count(manager, [organizationId, id]);
    const parts = Object.entries(keys).flatMap(([type, ids]) =>
      Array.from(inPieces(ids, KEYS_PER_PART), (some) => ({ type, ids: some })),
    );
    for (const some of inPieces(parts, PARTS_AT_ONCE))
      await this.statements.addParts.count(manager, [organizationId, id, JSON.stringify(some), true]);
  }

  find(manager: EntityManager, key: ErasureKey): Promise<Erasure | null> {
    return this.use(manager, key, (erasures, where) => erasures.findOneBy(where));
  }

  /**
   * The keys of a type in a certificate, each once; those of each read sorted. A step that left something of a key finds it again, so
   * two parts can hold one key.
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
  async claim(manager: EntityManager, key: ErasureKey): Promise<boolean> {
    return this.use(manager, key, async (erasures, where) => {
      const isDue = { erasedAt: IsNull(), nextTryAt: Raw((column) => `${column} <= now()`) };
      const pause = `LEAST(${FIRST_PAUSE} * 2 ^ LEAST(attempts, 20), ${LONGEST_PAUSE})`;
      const { affected } = await erasures.update(
        { ...where, ...isDue },
        { attempts: () => 'attempts + 1', nextTryAt: () => `now() + interval '1 second' * ${pause}` },
      );
      return affected === 1;
    });
  }

  /** @returns null if it is done, or another process has it */
  async lock(manager: EntityManager, key: ErasureKey): Promise<Erasure | null> {
    const isLocked = (await this.statements.lock.count(manager, [key.organizationId, key.id])) > 0;
    return isLocked ? this.find(manager, key) : null;
  }

  /** The unfinished keys of a repeated erasure. */
  async left(manager: EntityManager, { organizationId, id }: ErasureKey) {
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
    await this.use(manager, { organizationId, id }, (erasures, where) =>
      erasures.update(where, { found: sumOf(found, more) }),
    );
    const parts = [...new Set(keys.map(({ type }) => type))].map((type) => ({
      type,
      ids: keys.filter((key) => key.type === type).map((key) => key.id),
    }));
    await this.statements.addParts.count(manager, [organizationId, id, JSON.stringify(parts), false]);
  }

  /** The next step needs no pause. */
  async succeed(manager: EntityManager, key: ErasureKey): Promise<void> {
    await this.use(manager, key, (erasures, where) =>
      erasures.update(where, { attempts: 0, nextTryAt: () => 'now()' }),
    );
  }

  async finish(manager: EntityManager, key: ErasureKey, lastChange: number | null): Promise<void> {
    await this.use(manager, key, (erasures, where) =>
      erasures.update(where, { subject: null, erasedAt: () => 'now()', lastChange }),
    );
  }

  private use<Result>(
    manager: EntityManager,
    { organizationId, id }: ErasureKey,
    work: (erasures: Repository<Erasure>, where: ErasureKey) => Promise<Result>,
  ): Promise<Result> {
    return withRepository(erasureEntity(this.schema), manager, organizationId, (erasures) =>
      work(erasures, { organizationId, id }),
    );
  }
}

export function sumOf(one: Found, other: Found): Found {
  const sums: Record<string, number> = { ...one };
  for (const [kind, count] of Object.entries(other)) sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}

const statementsOf = memoize((schema: string) => {
  const table = `${schema}.erasure`;
  const keys = `${schema}.erasure_keys`;
  const isOfErasure = 'organization_id = $1 AND erasure_id = $2';
  return {
    deleteParts: new Statement({}, `DELETE FROM ${keys} WHERE ${isOfErasure}`),
    addParts: new Statement(
      {},
      `INSERT INTO ${keys} (organization_id, erasure_id, part, type, ids, is_left)
       SELECT $1, $2::uuid, place + (SELECT coalesce(max(part), 0) FROM ${keys} WHERE ${isOfErasure}), type, ids, $4::boolean
       FROM ROWS FROM (json_to_recordset($3) AS (type text, ids text[])) WITH ORDINALITY AS added (type, ids, place)`,
    ),
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
    lock: new Statement(
      {},
      `SELECT FROM ${table} WHERE organization_id = $1 AND id = $2 AND erased_at IS NULL FOR UPDATE SKIP LOCKED`,
    ),
    left: new Statement(
      { part: numberColumn('part'), type: textColumn('type'), ids: textsColumn('ids') },
      (list) => `SELECT ${list} FROM ${keys} WHERE ${isOfErasure} AND is_left ORDER BY part LIMIT 1`,
    ),
    endPart: new Statement({}, `UPDATE ${keys} SET is_left = false WHERE ${isOfErasure} AND part = $3`),
  };
});
