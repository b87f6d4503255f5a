import { bigintAsNumber, memoize } from '@cxp/storage';
import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

export type EndpointStatus = 'active' | 'failing' | 'disabled';

@Check('webhook_endpoint_status_check', `status IN ('active', 'failing', 'disabled')`)
export abstract class WebhookEndpoint {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('uuid')
  readonly id!: string;

  @Column('text')
  readonly url!: string;

  @Column('text', { nullable: true })
  readonly description!: string | null;

  /** Encrypted, as the previous one. */
  @Column('text', { select: false })
  readonly secret?: string;

  @Column('text', { name: 'previous_secret', nullable: true, select: false })
  readonly previousSecret?: string | null;

  @Column('timestamptz', { name: 'previous_secret_until', nullable: true, select: false })
  readonly previousSecretUntil?: Date | null;

  @Column({ type: 'text', collation: 'C', default: 'active' })
  readonly status!: EndpointStatus;

  /** The last number that it accepted, of the epoch. */
  @Column('bigint', { name: 'told_change', nullable: true, transformer: bigintAsNumber })
  readonly toldChange!: number | null;

  @Column('text', { name: 'told_epoch', nullable: true })
  readonly toldEpoch!: string | null;

  /** Failures since the last success, the first of them at `failingSince`. */
  @Column('integer', { default: 0 })
  readonly attempts!: number;

  @Column('timestamptz', { name: 'failing_since', nullable: true })
  readonly failingSince!: Date | null;

  @Column('timestamptz', { name: 'next_attempt_at', default: () => 'now()' })
  readonly nextAttemptAt!: Date;

  @Column('timestamptz', { name: 'last_attempt_at', nullable: true })
  readonly lastAttemptAt!: Date | null;

  @Column('text', { name: 'last_error', nullable: true })
  readonly lastError!: string | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'clock_timestamp()' })
  readonly createdAt!: Date;
}

/** Of an area. */
export const webhookEndpointEntity = memoize((schema: string): new () => WebhookEndpoint => {
  @Entity({ schema, name: 'webhook_endpoint' })
  class AreaEndpoint extends WebhookEndpoint {}
  return AreaEndpoint;
});
