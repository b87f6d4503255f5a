import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, EntityManager } from 'typeorm';
import {
  booleanColumn,
  jsonColumn,
  numberColumn,
  organizationsIn,
  type RowOf,
  Statement,
  textColumn,
  timeColumn,
  UnscopedStatement,
  WORK_DATA_SOURCE,
  utcTimeSql,
} from '@cxp/storage';
import type { ContactCenterRecord } from '@cxp/records';
import { eventColumns, type StoredEvent } from '../conversations/chat-log.repository';

/**
 * 100 conversations with 26 records of at most 6 KiB on average (names, ids and emails have at most 255 characters) fit into an
 * intake's 16 MiB.
 */
export const MAX_CONVERSATIONS = 100;
const MAX_EVENTS = 25;

/** After this many failures a conversation is sent alone and after the others, so that it fails and delays no other. */
const SENT_ALONE_AFTER = 3;

/** Seconds. Another process may claim the conversation after them. */
export const LEASE_SECONDS = 30;

/** Seconds, doubled by each failure. If area B may still store the records, they keep their lease. */
const PAUSES = {
  unavailable: { first: 1, most: 60, keepsLease: false },
  unknown: { first: 1, most: 60, keepsLease: true },
  refused: { first: 60, most: 3_600, keepsLease: false },
};

const IS_DUE = 'next_attempt_at <= now() AND (leased_until IS NULL OR leased_until <= now())';

const CLAIMED = {
  conversationId: textColumn('undelivered.conversation_id'),
  revision: textColumn('undelivered.revision'),
  deliveredEvent: textColumn('undelivered.delivered_event'),
  isErased: booleanColumn('undelivered.is_erased'),
  /** The end of the lease also identifies the claim. */
  leasedUntil: timeColumn('undelivered.leased_until'),
};

const CLAIM = new Statement(
  { organizationId: 'text', limit: 'integer', isAlone: 'boolean' },
  CLAIMED,
  (list) => `
  WITH chosen AS (
    SELECT conversation_id FROM webchat.undelivered
    WHERE organization_id = $organizationId AND ${IS_DUE} AND (attempts >= ${SENT_ALONE_AFTER}) = $isAlone
    ORDER BY next_attempt_at LIMIT $limit
    FOR UPDATE SKIP LOCKED
  )
  UPDATE webchat.undelivered SET leased_until = date_trunc('milliseconds', now()) + interval '${LEASE_SECONDS} seconds'
  FROM chosen
  WHERE undelivered.organization_id = $organizationId AND undelivered.conversation_id = chosen.conversation_id
  RETURNING ${list}`,
);

export const CONVERSATION_RECORD = `json_build_object('type', 'conversation', 'data', json_build_object(
  'id', conversation.id, 'createdAt', ${utcTimeSql('conversation.created_at')}, 'updatedAt', ${utcTimeSql('conversation.updated_at')},
  'closedAt', ${utcTimeSql('conversation.closed_at')}, 'customer', json_build_object(
    'filumId', conversation.user_id, 'name', coalesce(conversation.user_name, ''),
    'phone', coalesce(conversation.user_phone, ''), 'email', coalesce(conversation.user_email, ''))))`;

const FIND_CONVERSATIONS = new Statement(
  { organizationId: 'text', ids: 'uuid[]' },
  { id: textColumn('id'), record: jsonColumn<ContactCenterRecord>(CONVERSATION_RECORD) },
  (list) =>
    `SELECT ${list} FROM webchat.conversation WHERE organization_id = $organizationId AND id = ANY ($ids)`,
);

/** The events of the conversations that follow the delivered ones. */
const FIND_EVENTS = new Statement(
  { organizationId: 'text', ids: 'uuid[]', deliveredEvents: 'bigint[]' },
  {
    conversationId: textColumn('claimed.conversation_id'),
    ...eventColumns('next'),
  },
  (list) => `
  SELECT ${list} FROM unnest($ids, $deliveredEvents) AS claimed (conversation_id, delivered_event)
  CROSS JOIN LATERAL (
    SELECT * FROM webchat.event
    WHERE event.organization_id = $organizationId AND event.conversation_id = claimed.conversation_id
      AND event.event > claimed.delivered_event
    ORDER BY event.event LIMIT ${MAX_EVENTS}
  ) AS next
  ORDER BY claimed.conversation_id, next.event`,
);

/** The claimed conversations whose lease is still theirs, in the order in which writers lock them. */
const LOCKED = `locked AS (
  SELECT conversation_id, revision, attempts FROM webchat.undelivered
  WHERE organization_id = $organizationId AND conversation_id = ANY ($ids) AND leased_until = $leasedUntil
  ORDER BY conversation_id FOR UPDATE
)`;

/** Rows stay if they changed since the claim, which their revision tells, or have more events than were sent. */
const SETTLE = new Statement(
  {
    organizationId: 'text',
    ids: 'uuid[]',
    leasedUntil: 'timestamptz',
    revisions: 'bigint[]',
    events: 'bigint[]',
    areAll: 'boolean[]',
  },
  {},
  `WITH ${LOCKED}, settled AS (
     SELECT conversation_id, sent.event, sent.is_all AND locked.revision = sent.revision AS is_done
     FROM locked JOIN unnest($ids, $revisions, $events, $areAll)
       AS sent (conversation_id, revision, event, is_all) USING (conversation_id)
   ), done AS (
     DELETE FROM webchat.undelivered USING settled
     WHERE organization_id = $organizationId AND undelivered.conversation_id = settled.conversation_id AND settled.is_done
   )
   UPDATE webchat.undelivered
   SET delivered_event = settled.event, leased_until = NULL, since = now(), next_attempt_at = now(), attempts = 0,
       last_error = NULL
   FROM settled
   WHERE organization_id = $organizationId AND undelivered.conversation_id = settled.conversation_id AND NOT settled.is_done`,
);

/** The pause begins with the first and doubles up to the most. */
const FAIL = new Statement(
  {
    organizationId: 'text',
    ids: 'uuid[]',
    leasedUntil: 'timestamptz',
    reasons: 'text[]',
    first: 'float8',
    most: 'float8',
    keepsLease: 'boolean',
  },
  {},
  `WITH ${LOCKED}, failed AS (
     SELECT conversation_id, reason,
       now() + least($most, $first * 2 ^ least(locked.attempts, 30)) * interval '1 second' AS next_attempt_at
     FROM locked JOIN unnest($ids, $reasons) AS failed (conversation_id, reason) USING (conversation_id)
   )
   UPDATE webchat.undelivered
   SET leased_until = CASE WHEN $keepsLease THEN leased_until END, attempts = attempts + 1, last_error = failed.reason, next_attempt_at = failed.next_attempt_at
   FROM failed WHERE organization_id = $organizationId AND undelivered.conversation_id = failed.conversation_id`,
);

const RELEASE = new Statement(
  { organizationId: 'text', ids: 'uuid[]', leasedUntil: 'timestamptz' },
  {},
  `WITH ${LOCKED}
   UPDATE webchat.undelivered SET leased_until = NULL
   FROM locked WHERE organization_id = $organizationId AND undelivered.conversation_id = locked.conversation_id`,
);

const AGE_OF_OLDEST = new UnscopedStatement(
  {},
  { seconds: numberColumn('coalesce(extract(epoch FROM clock_timestamp() - min(since)), 0)') },
  (list) => `SELECT ${list} FROM webchat.undelivered`,
);

export interface Delivery extends RowOf<typeof CLAIMED> {
  readonly records: readonly ContactCenterRecord[];
  readonly event: number | string;
  /** Whether there was no later event. */
  readonly isAll: boolean;
}

/** One row for each conversation with undelivered changes. Records are built from the log when they are sent. */
@Injectable()
export class UndeliveredRepository {
  private readonly manager: EntityManager;

  constructor(@InjectDataSource(WORK_DATA_SOURCE) { manager }: DataSource) {
    this.manager = manager;
  }

  dueOrganizations(): Promise<string[]> {
    return organizationsIn(this.manager, 'webchat.undelivered', IS_DUE);
  }

  /** @param isAlone whether it is to be one that failed often, or others */
  async claim(organizationId: string, most: number, isAlone: boolean): Promise<Delivery[]> {
    const claimed = await CLAIM.run(this.manager, { organizationId, limit: isAlone ? 1 : most, isAlone });
    if (claimed.length === 0) return [];
    const ids = claimed.map(({ conversationId }) => conversationId);
    const sent = claimed.map(({ deliveredEvent }) => deliveredEvent);
    const eventsOf = new Map<string, StoredEvent[]>(ids.map((id) => [id, []]));
    for (const { conversationId, ...event } of await FIND_EVENTS.run(this.manager, {
      organizationId,
      ids,
      deliveredEvents: sent,
    })) {
      eventsOf.get(conversationId)!.push(event as StoredEvent);
    }
    // Read after the events, so that it is at least as new.
    const conversations = await FIND_CONVERSATIONS.run(this.manager, { organizationId, ids });
    const recordOfId = new Map(conversations.map(({ id, record }) => [id, record]));
    return claimed.map((each) => {
      const { conversationId: id, isErased, deliveredEvent } = each;
      if (isErased) {
        const removal = { type: 'conversation', op: 'delete', reason: 'erased', data: { id } } as const;
        return { ...each, records: [removal], event: deliveredEvent, isAll: true };
      }
      const next = eventsOf.get(id)!;
      const records = next.flatMap((event) => recordOf(id, event) ?? []);
      const conversation = recordOfId.get(id);
      return {
        ...each,
        records: conversation ? [...records, conversation] : records,
        event: next.at(-1)?.event ?? deliveredEvent,
        isAll: next.length < MAX_EVENTS,
      };
    });
  }

  async settle(organizationId: string, deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    await SETTLE.count(this.manager, {
      ...claimOf(organizationId, deliveries),
      revisions: deliveries.map(({ revision }) => revision),
      events: deliveries.map(({ event }) => event),
      areAll: deliveries.map(({ isAll }) => isAll),
    });
  }

  /** Retries the deliveries after a pause that grows with each failure. */
  async fail(
    organizationId: string,
    deliveries: readonly Delivery[],
    kind: keyof typeof PAUSES,
    reasonOf: (delivery: Delivery) => string,
  ): Promise<void> {
    if (deliveries.length === 0) return;
    const reasons = deliveries.map(reasonOf);
    await FAIL.count(this.manager, { ...claimOf(organizationId, deliveries), reasons, ...PAUSES[kind] });
  }

  /** Nothing was sent, so the conversations are due at once. */
  async release(organizationId: string, deliveries: readonly Delivery[]): Promise<void> {
    if (deliveries.length > 0) await RELEASE.count(this.manager, claimOf(organizationId, deliveries));
  }

  async oldestAgeSeconds(): Promise<number> {
    return Math.max(0, (await AGE_OF_OLDEST.first(this.manager, {}))!.seconds);
  }
}

function claimOf(organizationId: string, deliveries: readonly Delivery[]) {
  const ids = deliveries.map(({ conversationId }) => conversationId);
  return { organizationId, ids, leasedUntil: deliveries[0]!.leasedUntil };
}

/** @returns undefined if area B does not need the event */
export function recordOf(conversationId: string, stored: StoredEvent): ContactCenterRecord | undefined {
  const { storedAt } = stored;
  switch (stored.type) {
    case 'message': {
      const { senderType } = stored.payload;
      return { type: 'message', data: { id: stored.id!, conversationId, senderType, sentAt: storedAt } };
    }
    case 'activity': {
      const { action, occurredAt, by: agent } = stored.payload;
      const data = { id: stored.id!, conversationId, action, occurredAt: occurredAt ?? storedAt, agent };
      return { type: 'activity', data };
    }
    case 'rating': {
      const { request, rating, resolution, feedback } = stored.payload;
      const id = `webchat-${conversationId}-${request}`;
      const answer = { rating, resolution, feedback: feedback ?? '' };
      return { type: 'conversation_survey', data: { id, conversationId, ...answer, submittedAt: storedAt } };
    }
    case 'read':
    case 'rating.requested':
      return undefined;
  }
}
