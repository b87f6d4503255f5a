import { bigintAsNumber, memoize } from '@cxp/storage';
import { Check, Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { Found } from './erasure-area';
import type { Subject } from './subject';

@Check('erasure_mode_check', `mode IN ('delete', 'anonymize')`)
// Only SQL can describe their conditions.
@Index('erasure_due', { synchronize: false })
@Index('erasure_under_way', { synchronize: false })
@Index('erasure_of_subject', ['organizationId', 'subjectHash'])
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

  /** Used by the release before, as `subjectHash`. */
  @Column({ type: 'text', collation: 'C', default: 'delete', select: false })
  readonly mode?: string;

  @Column('bytea', { name: 'subject_hash', nullable: true, select: false })
  readonly subjectHash?: Buffer | null;
}

/** Of an area. */
export const erasureEntity = memoize((schema: string): new () => Erasure => {
  @Entity({ schema, name: 'erasure' })
  class AreaErasure extends Erasure {}
  return AreaErasure;
});
