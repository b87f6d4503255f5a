import {
  bigintAsNumber,
  memoize,
  Statement,
  textColumn,
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
import type { Found, Subject } from './eraser';

// Only SQL can describe its condition.
@Index('erasure_due', { synchronize: false })
export abstract class Erasure {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('uuid')
  readonly id!: string;

  /** null once it is done. */
  @Column('json', { nullable: true })
  readonly subject!: Subject | null;

  @Column({ type: 'timestamptz', name: 'requested_at', precision: 3, default: () => 'now()' })
  readonly requestedAt!: Date;

  /** null until it is done. */
  @Column({ type: 'timestamptz', name: 'erased_at', precision: 3, nullable: true })
  readonly erasedAt!: Date | null;

  @Column('json', { default: {} })
  readonly found!: Found;

  /** Where the next step begins; null before the first, and once it is done. */
  @Column('text', { nullable: true })
  readonly position!: string | null;

  @Column('bigint', { name: 'last_change', nullable: true, transformer: bigintAsNumber })
  readonly lastChange!: number | null;

  /** Of steps that have not succeeded since the last one that has. */
  @Column('integer', { default: 0 })
  readonly attempts!: number;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'now()' })
  readonly nextAttemptAt!: Date;
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

/** Seconds; doubled by each failure up to the longest pause. */
const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 600;

export class ErasureRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  constructor(private readonly schema: string) {
    this.statements = statementsOf(schema);
  }

  /** Does nothing if its id is known. */
  async add(manager: EntityManager, key: ErasureKey, subject: Subject): Promise<void> {
    await this.use(manager, key, (erasures, where) =>
      erasures
        .createQueryBuilder()
        .insert()
        .values({ ...where, subject })
        .orIgnore()
        .updateEntity(false)
        .execute(),
    );
  }

  find(manager: EntityManager, key: ErasureKey): Promise<Erasure | null> {
    return this.use(manager, key, (erasures, where) => erasures.findOneBy(where));
  }

  /** Ordered by waiting time. */
  due(manager: EntityManager, limit: number): Promise<ErasureKey[]> {
    return this.statements.due.run(manager, { limit });
  }

  /**
   * Takes the next step. If the process ends or the step fails, it is due again after a pause.
   * @returns false if the erasure is done or not due
   */
  claim(manager: EntityManager, key: ErasureKey): Promise<boolean> {
    return this.use(manager, key, async (erasures, where) => {
      const isDue = { erasedAt: IsNull(), nextAttemptAt: Raw((column) => `${column} <= now()`) };
      const pause = `LEAST(${FIRST_PAUSE} * 2 ^ LEAST(attempts, 20), ${LONGEST_PAUSE})`;
      const { affected } = await erasures.update(
        { ...where, ...isDue },
        { attempts: () => 'attempts + 1', nextAttemptAt: () => `now() + interval '1 second' * ${pause}` },
      );
      return affected === 1;
    });
  }

  /** @returns null if it is done, or another process has it */
  async lock(manager: EntityManager, key: ErasureKey): Promise<Erasure | null> {
    const isLocked = (await this.statements.lock.count(manager, key)) > 0;
    return isLocked ? this.find(manager, key) : null;
  }

  /** A step has succeeded; the next one needs no pause. */
  async goOn(manager: EntityManager, key: ErasureKey, found: Found, position: string): Promise<void> {
    await this.use(manager, key, (erasures, where) =>
      erasures.update(where, { found, position, attempts: 0, nextAttemptAt: () => 'now()' }),
    );
  }

  async finish(
    manager: EntityManager,
    key: ErasureKey,
    found: Found,
    lastChange: number | null,
  ): Promise<void> {
    await this.use(manager, key, (erasures, where) =>
      erasures.update(where, { found, lastChange, subject: null, position: null, erasedAt: () => 'now()' }),
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

const statementsOf = memoize((schema: string) => {
  const table = `${schema}.erasure`;
  return {
    due: new UnscopedStatement(
      { limit: 'integer' },
      { organizationId: textColumn('organization_id'), id: textColumn('id') },
      (list) =>
        `SELECT ${list} FROM ${table} WHERE erased_at IS NULL AND next_attempt_at <= now() ORDER BY next_attempt_at LIMIT $limit`,
    ),
    lock: new Statement(
      { organizationId: 'text', id: 'uuid' },
      {},
      `SELECT FROM ${table} WHERE organization_id = $organizationId AND id = $id AND erased_at IS NULL FOR UPDATE SKIP LOCKED`,
    ),
  };
});
