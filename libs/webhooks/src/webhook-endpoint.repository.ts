import { Check, Column, Entity, type EntityManager, PrimaryColumn, type Repository } from 'typeorm';
import {
  ADVISORY_LOCKS,
  bigintAsNumber,
  booleanColumn,
  inTransaction,
  jsonColumn,
  memoize,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
  UnscopedStatement,
  withRepository,
} from '@cxp/storage';
import { FeedEpoch } from '@cxp/change-feed';

export type EndpointStatus = 'active' | 'failing' | 'disabled';

export interface PreviousSecret {
  readonly secret: string;
  /** Hints are signed with it until then. */
  readonly until: string;
}

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

  /** Secrets are stored encrypted. */
  @Column('text', { select: false })
  readonly secret?: string;

  /** The newest first. */
  @Column('jsonb', { name: 'previous_secrets', default: [], select: false })
  readonly previousSecrets?: readonly PreviousSecret[];

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

/** Each area has its own table. */
export const webhookEndpointEntity = memoize((schema: string): new () => WebhookEndpoint => {
  @Entity({ schema, name: 'webhook_endpoint' })
  class AreaEndpoint extends WebhookEndpoint {}
  return AreaEndpoint;
});

/** Per organization and area. */
export const MAX_ENDPOINTS = 10;

/** Adds the current secret to those before it, and keeps two: the one after them is the third. */
const PREVIOUS_SECRETS = `(jsonb_build_array(
  jsonb_build_object('secret', secret, 'until', now() + interval '24 hours')) || previous_secrets) - 2`;

/** The outcome of a current attempt is then not stored. */
const ANEW = {
  status: 'active',
  toldChange: null,
  toldEpoch: null,
  attempts: 0,
  failingSince: null,
  lastError: null,
  nextAttemptAt: () => `'-infinity'`,
} as const;

export interface EndpointKey {
  readonly organizationId: string;
  readonly id: string;
}

const STATE = {
  status: textColumn<EndpointStatus>('status'),
  toldChange: nullable(numberColumn('told_change')),
  toldEpoch: nullable(textColumn('told_epoch')),
  attempts: numberColumn('attempts'),
  failingSince: nullable(timeColumn('failing_since')),
  lastError: nullable(textColumn('last_error')),
};

export type HintState = RowOf<typeof STATE>;

const targetColumns = (schema: string, organization: string) => ({
  ...STATE,
  organizationId: textColumn('organization_id'),
  id: textColumn('id'),
  url: textColumn('url'),
  secret: textColumn('secret'),
  previousSecrets: jsonColumn<readonly PreviousSecret[]>('previous_secrets'),
  change: numberColumn(lastChange(schema, organization)),
  attemptedAt: timeColumn('last_attempt_at'),
  /** Identifies the attempt until the next one is claimed or the endpoint starts anew. */
  nextAttemptAt: timeColumn('next_attempt_at'),
});

/** If it was claimed, this process has to make the attempt. */
export type HintTarget = RowOf<ReturnType<typeof targetColumns>>;

function lastChange(schema: string, organization: string): string {
  return `coalesce((SELECT last FROM ${schema}.change_feed AS feed WHERE feed.organization_id = ${organization}), 0)`;
}

export class WebhookEndpointRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  /** @param work for the sender's statements, so that requests do not wait for them */
  constructor(
    private readonly manager: EntityManager,
    private readonly work: EntityManager,
    private readonly schema: string,
    private readonly epochs = new FeedEpoch(work, schema),
  ) {
    this.statements = statementsOf(schema);
  }

  /**
   * Creates or changes an endpoint. A moved or disabled one starts anew.
   * @param secret of a new endpoint
   * @returns undefined if the organization has its maximum
   */
  put(
    key: EndpointKey,
    { url, description }: Pick<WebhookEndpoint, 'url' | 'description'>,
    secret: string,
  ): Promise<{ readonly endpoint: WebhookEndpoint; readonly isNew: boolean } | undefined> {
    const { organizationId, id } = key;
    return this.locked(organizationId, async (endpoints) => {
      const known = await endpoints.findOneBy({ organizationId, id });
      if (known) {
        const startsAnew = known.url !== url || known.status === 'disabled';
        await endpoints.update({ organizationId, id }, { url, description, ...(startsAnew ? ANEW : {}) });
      } else {
        if ((await endpoints.countBy({ organizationId })) >= MAX_ENDPOINTS) return undefined;
        await endpoints.insert({ organizationId, id, url, description, secret });
      }
      return { endpoint: await endpoints.findOneByOrFail({ organizationId, id }), isNew: !known };
    });
  }

  list(organizationId: string): Promise<WebhookEndpoint[]> {
    return this.use(organizationId, (endpoints) =>
      endpoints.find({ where: { organizationId }, order: { createdAt: 'ASC', id: 'ASC' } }),
    );
  }

  find({ organizationId, id }: EndpointKey): Promise<WebhookEndpoint | null> {
    return this.use(organizationId, (endpoints) => endpoints.findOneBy({ organizationId, id }));
  }

  delete({ organizationId, id }: EndpointKey): Promise<boolean> {
    return this.locked(
      organizationId,
      async (endpoints) => (await endpoints.delete({ organizationId, id })).affected === 1,
    );
  }

  /** @returns whether the endpoint exists */
  async rotateSecret({ organizationId, id }: EndpointKey, secret: string): Promise<boolean> {
    return this.use(organizationId, async (endpoints) => {
      const rotated = { previousSecrets: () => PREVIOUS_SECRETS, secret };
      return (await endpoints.update({ organizationId, id }, rotated)).affected === 1;
    });
  }

  target({ organizationId, id }: EndpointKey): Promise<HintTarget | undefined> {
    return this.statements.target.first(this.manager, { organizationId, id });
  }

  async epoch(): Promise<string> {
    return (await this.epochs.read(this.work)).epoch;
  }

  /**
   * Organizations with endpoints that wait for a new number: those of new or successful endpoints first, then by waiting time.
   * One may come back in both groups.
   */
  due(epoch: string, limit: number): Promise<{ organizationId: string; isFailing: boolean }[]> {
    return this.statements.due.run(this.work, { epoch, limit });
  }

  /** @returns attempts that this process has to make; no other process claims them for 15 seconds */
  claim(organizationId: string, epoch: string, isFailing: boolean): Promise<HintTarget[]> {
    return this.statements.claim.run(this.work, { organizationId, epoch, isFailing });
  }

  /**
   * Ends an attempt.
   * @param pauseSeconds until the next one, if there is a new number
   */
  async settle(attempt: HintTarget, state: HintState, pauseSeconds: number): Promise<void> {
    const { organizationId, id, nextAttemptAt } = attempt;
    const { status, toldChange, toldEpoch, attempts, failingSince, lastError } = state;
    const settled = { status, toldChange, toldEpoch, attempts, failingSince, lastError };
    const next = () => `now() + interval '1 second' * ${pauseSeconds}`;
    await this.use(
      organizationId,
      (endpoints) =>
        endpoints.update({ organizationId, id, nextAttemptAt }, { ...settled, nextAttemptAt: next }),
      this.work,
    );
  }

  countByStatus(): Promise<{ readonly status: EndpointStatus; readonly count: number }[]> {
    return this.statements.countByStatus.run(this.work, {});
  }

  private use<Result>(
    organizationId: string,
    work: (endpoints: Repository<WebhookEndpoint>) => Promise<Result>,
    manager = this.manager,
  ): Promise<Result> {
    return withRepository(webhookEndpointEntity(this.schema), manager, organizationId, work);
  }

  /** Endpoints of an organization are counted, created and deleted one after the other. */
  private locked<Result>(
    organizationId: string,
    work: (endpoints: Repository<WebhookEndpoint>) => Promise<Result>,
  ): Promise<Result> {
    return inTransaction(this.manager.dataSource, organizationId, [], async (manager) => {
      await this.statements.lock.run(manager, { organizationId });
      return this.use(organizationId, work, manager);
    });
  }
}

const statementsOf = memoize((schema: string) => {
  const table = `${schema}.webhook_endpoint`;
  const ofEndpoint = 'WHERE organization_id = $organizationId AND id = $id';
  /** A new epoch waits neither for attempts of the old one nor for its pauses. */
  const isDue = (last: string) => `status <> 'disabled' AND (told_epoch IS DISTINCT FROM $epoch
    OR next_attempt_at <= now() AND told_change IS DISTINCT FROM ${last})`;
  return {
    lock: new Statement(
      { organizationId: 'text' },
      {},
      `SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.endpoints}, hashtext('${schema} ' || $organizationId))`,
    ),
    target: new Statement(
      { organizationId: 'text', id: 'uuid' },
      targetColumns(schema, '$organizationId'),
      (list) => `SELECT ${list} FROM ${table} ${ofEndpoint}`,
    ),
    due: new UnscopedStatement(
      { epoch: 'text', limit: 'integer' },
      { organizationId: textColumn('organization_id'), isFailing: booleanColumn('attempts > 0') },
      // A join would read the feeds of all organizations.
      (list) => `SELECT ${list} FROM ${table} AS endpoint
        WHERE ${isDue(lastChange(schema, 'endpoint.organization_id'))} GROUP BY organization_id, attempts > 0
        ORDER BY attempts > 0, min(next_attempt_at) LIMIT $limit`,
      'prepared',
    ),
    /**
     * The lease of 15 seconds lets another process take over. In nobody's name, because one loop claims for all organizations and must wait for none.
     */
    claim: new UnscopedStatement(
      { organizationId: 'text', epoch: 'text', isFailing: 'boolean' },
      targetColumns(schema, '$organizationId'),
      (
        list,
      ) => `UPDATE ${table} SET last_attempt_at = now(), next_attempt_at = date_trunc('milliseconds', now()) + interval '15 seconds',
          told_change = CASE WHEN told_epoch = $epoch THEN told_change END, told_epoch = $epoch
        WHERE organization_id = $organizationId AND (attempts > 0) = $isFailing AND ${isDue(lastChange(schema, '$organizationId'))}
        RETURNING ${list}`,
      'prepared',
    ),
    countByStatus: new UnscopedStatement(
      {},
      { status: textColumn<EndpointStatus>('status'), count: numberColumn('count(*)') },
      (list) => `SELECT ${list} FROM ${table} GROUP BY status`,
    ),
  };
});
