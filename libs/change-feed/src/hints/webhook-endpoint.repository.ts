import { randomUUID } from 'node:crypto';
import type { EntityManager } from 'typeorm';
import {
  booleanColumn,
  madeOnce,
  nullable,
  numberColumn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
  violates,
} from '@cxp/storage';
import { epochOf } from '../change-feed-tables';
import { MAX_ENDPOINTS } from './hint-table';

export type EndpointStatus = 'active' | 'failing' | 'disabled';

/** A webhook endpoint as it is answered. */
export type WebhookEndpoint = RowOf<typeof ENDPOINT>;

const ENDPOINT = {
  id: textColumn('id'),
  url: textColumn('url'),
  description: nullable(textColumn('description')),
  status: textColumn<EndpointStatus>('status'),
  toldChange: nullable(numberColumn('told_change')),
  lastAttemptAt: nullable(timeColumn('last_attempt_at')),
  lastError: nullable(textColumn('last_error')),
  nextAttemptAt: nullable(timeColumn(`CASE WHEN status = 'failing' THEN next_attempt_at END`)),
  createdAt: timeColumn('created_at'),
};

/** Identifies an endpoint. */
export interface EndpointKey {
  readonly organizationId: string;
  readonly id: string;
}

/** What a hint is sent with. */
export type HintTarget = Omit<RowOf<ReturnType<typeof targetColumns>>, 'hasFailedForADay'>;

/** An attempt that this process has to make. */
export interface Attempt extends EndpointKey, HintTarget {
  readonly lease: string;
  readonly attempts: number;
  readonly hasFailedForADay: boolean;
}

/** Losses of the race for a place before the organization has all its places taken, with room for deletions meanwhile. */
const MAX_TRIES = 50;

/** The webhook endpoints of one area. */
export class WebhookEndpointRepository {
  private readonly statements: ReturnType<typeof statementsOf>;

  /** @param work for the sender's statements, which no request waits for */
  constructor(
    private readonly manager: EntityManager,
    private readonly work: EntityManager,
    schema: string,
  ) {
    this.statements = statementsOf(schema);
  }

  /**
   * Creates an endpoint, or changes what is different. One that is moved or was disabled begins anew.
   * @param secret of a new endpoint
   * @returns undefined if it is one more than the organization may have
   */
  async put(
    { organizationId, id }: EndpointKey,
    { url, description }: { readonly url: string; readonly description: string | null },
    secret: string,
  ): Promise<(WebhookEndpoint & { readonly isNew: boolean }) | undefined> {
    const values = [organizationId, id, url, description, secret];
    for (let tries = 1; ; tries++) {
      try {
        return await this.statements.put.first(this.manager, values);
      } catch (error) {
        // Another endpoint was created at the same time, in the same place.
        if (tries === MAX_TRIES || !violates(error, 'webhook_endpoint_place')) throw error;
      }
    }
  }

  list(organizationId: string): Promise<WebhookEndpoint[]> {
    return this.statements.list.run(this.manager, [organizationId]);
  }

  find({ organizationId, id }: EndpointKey): Promise<WebhookEndpoint | undefined> {
    return this.statements.find.first(this.manager, [organizationId, id]);
  }

  /** @returns whether it existed */
  async delete({ organizationId, id }: EndpointKey): Promise<boolean> {
    return (await this.statements.delete.count(this.manager, [organizationId, id])) === 1;
  }

  /** The secret before becomes the previous one. @returns whether the endpoint exists */
  async rotateSecret({ organizationId, id }: EndpointKey, secret: string): Promise<boolean> {
    return (await this.statements.rotateSecret.count(this.manager, [organizationId, id, secret])) === 1;
  }

  /** For a test, which is no attempt. */
  target({ organizationId, id }: EndpointKey): Promise<HintTarget | undefined> {
    return this.statements.target.first(this.manager, [organizationId, id]);
  }

  async epoch(): Promise<string> {
    return (await this.statements.epoch.first(this.work, []))!.epoch;
  }

  /**
   * Organizations with endpoints that can be told something new: first those whose endpoints accepted the last hint or are new, those that wait
   * longest first. One may be found as both.
   */
  due(epoch: string, limit: number): Promise<{ organizationId: string; isFailing: boolean }[]> {
    return this.statements.due.run(this.work, [epoch, limit]);
  }

  /** @returns the attempts of the organization that this process has to make now, and no other one */
  async claim(organizationId: string, epoch: string, failing: boolean): Promise<Attempt[]> {
    const lease = randomUUID();
    const claimed = await this.statements.claim.run(this.work, [epoch, failing, organizationId, lease]);
    return claimed.map((target) => ({ ...target, organizationId, lease }));
  }

  async noteSuccess({ organizationId, id, lease, change }: Attempt, epoch: string): Promise<void> {
    await this.statements.noteSuccess.run(this.work, [organizationId, id, lease, change, epoch]);
  }

  async noteFailure(
    { organizationId, id, lease }: Attempt,
    failure: { readonly status: EndpointStatus; readonly error: string; readonly retryAfterSeconds: number },
  ): Promise<void> {
    const { status, error, retryAfterSeconds } = failure;
    const values = [organizationId, id, lease, status, error, retryAfterSeconds];
    await this.statements.noteFailure.run(this.work, values);
  }

  /** Gives up an attempt: any process makes it again at once. */
  async release({ organizationId, id, lease }: Attempt): Promise<void> {
    await this.statements.release.run(this.work, [organizationId, id, lease]);
  }

  countByStatus(): Promise<{ readonly status: EndpointStatus; readonly count: number }[]> {
    return this.statements.countByStatus.run(this.work, []);
  }
}

/** @param organization SQL: the value of the organization */
function targetColumns(schema: string, organization: string) {
  return {
    url: textColumn('url'),
    secret: textColumn('secret'),
    previousSecret: nullable(textColumn('CASE WHEN previous_secret_until > now() THEN previous_secret END')),
    change: numberColumn(lastChange(schema, organization)),
    hasFailedForADay: booleanColumn(`coalesce(failing_since <= now() - interval '24 hours', false)`),
  };
}

/** SQL: the last number of an organization. */
function lastChange(schema: string, organization: string): string {
  return `coalesce((SELECT last FROM ${schema}.change_feed AS feed WHERE feed.organization_id = ${organization}), 0)`;
}

/** The columns of an endpoint that begins anew. The outcome of an attempt that is under way is not stored. */
const BEGINNING = {
  status: `'active'`,
  told_change: 'NULL',
  told_epoch: 'NULL',
  attempts: '0',
  failing_since: 'NULL',
  next_attempt_at: `'-infinity'`,
  last_error: 'NULL',
  lease: 'NULL',
  leased_until: `'-infinity'`,
};

const statementsOf = madeOnce((schema: string) => {
  const table = `${schema}.webhook_endpoint`;
  /** $1 organization, $2 id. */
  const ofEndpoint = 'WHERE organization_id = $1 AND id = $2';
  /** $1 epoch. */
  const isDue = (last: string) =>
    `status <> 'disabled' AND next_attempt_at <= now() AND leased_until <= now()
     AND (told_change IS DISTINCT FROM ${last} OR told_epoch IS DISTINCT FROM $1)`;
  const beginsAnew = `known.url <> excluded.url OR known.status = 'disabled'`;
  const begin = Object.entries(BEGINNING).map(
    ([column, value]) => `${column} = CASE WHEN ${beginsAnew} THEN ${value} ELSE known.${column} END`,
  );
  const target = targetColumns(schema, '$1');
  const claimed = {
    ...targetColumns(schema, '$3'),
    id: textColumn('id'),
    attempts: numberColumn('attempts'),
  };
  return {
    /** If there is no free place, only the endpoint itself has one. */
    put: new Statement(
      { ...ENDPOINT, isNew: booleanColumn('secret = $5') },
      (list) => `INSERT INTO ${table} AS known (organization_id, id, place, url, description, secret)
        SELECT $1, $2, free.place, $3, $4, $5 FROM (
          SELECT coalesce(
            (SELECT min(place) FROM generate_series(1, ${MAX_ENDPOINTS}) AS place
             WHERE place NOT IN (SELECT taken.place FROM ${table} AS taken WHERE taken.organization_id = $1)),
            (SELECT own.place FROM ${table} AS own WHERE own.organization_id = $1 AND own.id = $2)
          ) AS place
        ) AS free
        WHERE free.place IS NOT NULL
        ON CONFLICT (organization_id, id) DO UPDATE
        SET url = excluded.url, description = excluded.description, ${begin.join(', ')}
        RETURNING ${list}`,
    ),
    list: new Statement(
      ENDPOINT,
      (list) => `SELECT ${list} FROM ${table} WHERE organization_id = $1 ORDER BY created_at, id`,
    ),
    find: new Statement(ENDPOINT, (list) => `SELECT ${list} FROM ${table} ${ofEndpoint}`),
    delete: new Statement({}, `DELETE FROM ${table} ${ofEndpoint}`),
    rotateSecret: new Statement(
      {},
      `UPDATE ${table} SET previous_secret = secret, previous_secret_until = now() + interval '24 hours', secret = $3
       ${ofEndpoint}`,
    ),
    target: new Statement(target, (list) => `SELECT ${list} FROM ${table} ${ofEndpoint}`),
    epoch: new Statement(
      { epoch: textColumn(epochOf(schema)) },
      (list) => `SELECT ${list} FROM ${schema}.change_epoch`,
      'prepared',
    ),
    due: new Statement(
      { organizationId: textColumn('organization_id'), isFailing: booleanColumn('attempts > 0') },
      (list) => `SELECT ${list} FROM ${table} LEFT JOIN ${schema}.change_feed USING (organization_id)
        WHERE ${isDue('coalesce(last, 0)')} GROUP BY organization_id, attempts > 0
        ORDER BY attempts > 0, min(next_attempt_at) LIMIT $2`,
      'prepared',
    ),
    /** $2 whether the last attempt failed, $3 organization, $4 lease. */
    claim: new Statement(
      claimed,
      (
        list,
      ) => `UPDATE ${table} SET lease = $4, leased_until = now() + interval '15 seconds', last_attempt_at = now()
        WHERE organization_id = $3 AND (attempts > 0) = $2::boolean AND ${isDue(lastChange(schema, '$3'))} RETURNING ${list}`,
      'prepared',
    ),
    /** $3 lease, as below. */
    noteSuccess: new Statement(
      {},
      `UPDATE ${table} SET told_change = $4, told_epoch = $5, status = 'active', attempts = 0, failing_since = NULL,
         next_attempt_at = now(), last_error = NULL, lease = NULL, leased_until = '-infinity'
       ${ofEndpoint} AND lease = $3`,
      'prepared',
    ),
    noteFailure: new Statement(
      {},
      `UPDATE ${table} SET status = $4, last_error = $5, attempts = attempts + 1,
         failing_since = LEAST(failing_since, now()), next_attempt_at = now() + $6 * interval '1 second',
         lease = NULL, leased_until = '-infinity'
       ${ofEndpoint} AND lease = $3`,
      'prepared',
    ),
    release: new Statement(
      {},
      `UPDATE ${table} SET lease = NULL, leased_until = '-infinity' ${ofEndpoint} AND lease = $3`,
    ),
    countByStatus: new Statement(
      { status: textColumn<EndpointStatus>('status'), count: numberColumn('count(*)') },
      (list) => `SELECT ${list} FROM ${table} GROUP BY status`,
    ),
  };
});
