import type { EntityManager } from 'typeorm';
import {
  type Erased,
  type ErasureMode,
  type Found,
  isNoNewData,
  type RecordKey,
  type Subject,
} from '@cxp/erasure';
import { type Columns, numberColumn, Statement, textColumn } from '@cxp/storage';
import { WITHOUT_AGENT_IDENTITY, WITHOUT_AGENT_NAME } from '../conversations/anonymized';
import { identifierText, subjectIdentifiers } from '../sessions/user-identifiers';

/** A statement that returns nothing. */
type Write = Pick<Statement<Columns>, 'count'>;

/** The rows of each table that one step erases at most. */
const ROWS_PER_STEP = 2_000;

/**
 * SQL: conversations of the subject $2 (user ids), $3 (phones), $4 (emails) and $5 (all of them as `identifierText`), at most $6. Each part
 * looks up an index, and stops at the limit.
 */
function ofSubject(condition = 'true'): string {
  return `SELECT id FROM (${[
    `webchat.conversation WHERE user_id = ANY ($2::text[])`,
    `webchat.conversation WHERE webchat.comparable_phone(user_phone) = ANY ($3::text[]) AND user_phone <> ''`,
    `webchat.conversation WHERE webchat.comparable_email(user_email) = ANY ($4::text[]) AND user_email <> ''`,
    // OFFSET 0: by an index for each.
    `webchat.conversation_identifier CROSS JOIN LATERAL (
       SELECT id, created_at FROM webchat.conversation WHERE organization_id = $1 AND id = conversation_id OFFSET 0
     ) AS conversation WHERE identifier = ANY ($5::text[])`,
  ]
    .map((part) => `(SELECT id FROM ${part} AND organization_id = $1 AND ${condition} LIMIT $6)`)
    .join(' UNION ')}) AS found LIMIT $6`;
}

/**
 * SQL: $7 is when the erasure was asked for, if it was yet. A person who comes back whenever a session ends would else keep it going. Instants are
 * rounded to milliseconds.
 */
const IS_MEANT = isNoNewData(`$7::timestamptz + interval '1 millisecond'`);

const ID = { id: textColumn('id') };

const FIND = new Statement(ID, (list) => `SELECT ${list} FROM (${ofSubject(IS_MEANT)}) AS found`);

const LIST = new Statement(
  ID,
  (list) => `
  SELECT ${list} FROM webchat.conversation
  WHERE organization_id = $1 AND id > $2 AND user_id IS NOT NULL ORDER BY conversation.id LIMIT $3`,
);

const COUNT = new Statement(
  {
    conversations: numberColumn('(SELECT count(*) FROM found)'),
    messages: countOf('message'),
    activities: countOf('activity'),
    ratings: countOf('rating'),
  },
  (list) => `WITH found AS MATERIALIZED (${ofSubject()}) SELECT ${list}`,
);

/** What certificates count. */
export const FOUND_KINDS = ['conversations', 'messages', 'activities', 'ratings'];

/** OFFSET 0: by an index for each conversation, however many rows PostgreSQL expects. */
function countOf(table: string) {
  return numberColumn(`(SELECT count(*) FROM (
    SELECT FROM found CROSS JOIN LATERAL (
      SELECT FROM webchat.${table} WHERE organization_id = $1 AND conversation_id = found.id OFFSET 0
    ) AS record LIMIT $6
  ) AS counted)`);
}

/** Nothing is added to a conversation whose row is locked. */
const LOCK = new Statement(
  ID,
  (list) => `
  SELECT ${list} FROM webchat.conversation WHERE organization_id = $1 AND id = ANY ($2::uuid[])
  ORDER BY conversation.id FOR UPDATE`,
);

const LOCK_EXPIRED = new Statement(
  ID,
  (list) => `
  SELECT ${list} FROM webchat.conversation WHERE organization_id = $1 AND id = ANY ($2::uuid[]) AND updated_at < $3
  ORDER BY conversation.id FOR UPDATE`,
);

/** SQL: some rows of the conversations $2, which are locked; by their places, so that none but these are looked at. */
function someOf(table: string, condition = 'true'): string {
  return `organization_id = $1 AND ctid = ANY (ARRAY(
    SELECT ctid FROM webchat.${table}
    WHERE organization_id = $1 AND conversation_id = ANY ($2::uuid[]) AND (${condition}) LIMIT ${ROWS_PER_STEP}
  ))`;
}

const DELETE_IDENTIFIERS = new Statement(
  {},
  `DELETE FROM webchat.conversation_identifier WHERE ${someOf('conversation_identifier')}`,
);

/** What belongs to conversations, by its name in certificates. */
const BELONGINGS: Readonly<Record<string, Readonly<Record<ErasureMode, Write>>>> = {
  messages: {
    delete: new Statement({}, `DELETE FROM webchat.message WHERE ${someOf('message')}`),
    anonymize: new Statement(
      {},
      `UPDATE webchat.message SET text = '', sender_name = NULL, client_id = NULL
       WHERE ${someOf('message', `text <> '' OR sender_name IS NOT NULL OR client_id IS NOT NULL`)}`,
    ),
  },
  activities: {
    delete: new Statement({}, `DELETE FROM webchat.activity WHERE ${someOf('activity')}`),
    anonymize: new Statement(
      {},
      `UPDATE webchat.activity SET agent = agent || ${WITHOUT_AGENT_IDENTITY}
       WHERE ${someOf('activity', `agent ->> 'name' IS NOT NULL OR agent ->> 'email' IS NOT NULL`)}`,
    ),
  },
  ratings: {
    delete: new Statement({}, `DELETE FROM webchat.rating WHERE ${someOf('rating')}`),
    anonymize: new Statement(
      {},
      `UPDATE webchat.rating SET feedback = NULL, client_id = request_event::text
       WHERE ${someOf('rating', `feedback IS NOT NULL OR client_id <> request_event::text`)}`,
    ),
  },
  identifiers: {
    delete: DELETE_IDENTIFIERS,
    anonymize: DELETE_IDENTIFIERS,
  },
  events: {
    delete: new Statement({}, `DELETE FROM webchat.event WHERE ${someOf('event')}`),
    anonymize: new Statement(
      {},
      `UPDATE webchat.event
       SET payload = CASE type
         WHEN 'activity' THEN jsonb_set(payload || '{"agentName": null}', '{agent,name}', 'null')
         ELSE jsonb_set(payload || '{"feedback": null}', '{clientId}', ('"' || (payload ->> 'request') || '"')::jsonb) END
       WHERE ${someOf(
         'event',
         `type = 'activity' AND (payload ->> 'agentName' IS NOT NULL OR payload #>> '{agent,name}' IS NOT NULL)
          OR type = 'rating' AND (payload ->> 'feedback' IS NOT NULL OR payload ->> 'clientId' <> payload ->> 'request')`,
       )}`,
    ),
  },
};

const DELETE = new Statement(
  {},
  'DELETE FROM webchat.conversation WHERE organization_id = $1 AND id = ANY ($2::uuid[])',
);

const ANONYMIZE = new Statement(
  {},
  `UPDATE webchat.conversation
   SET user_id = NULL, user_name = NULL, user_email = NULL, user_phone = NULL, agent = agent || ${WITHOUT_AGENT_NAME}
   WHERE organization_id = $1 AND id = ANY ($2::uuid[])`,
);

/** What area B is told of conversations: $3 that they were erased, else that they are to be read again. */
const TELL = new Statement(
  {},
  `INSERT INTO webchat.outbox (organization_id, conversation_id, is_erased) SELECT $1, unnest($2::uuid[]), $3::boolean`,
);

/** Ratings are told each by itself. */
const TELL_RATINGS = new Statement(
  {},
  `INSERT INTO webchat.outbox (organization_id, conversation_id, rating_request)
   SELECT organization_id, conversation_id, request_event FROM webchat.rating
   WHERE organization_id = $1 AND conversation_id = ANY ($2::uuid[]) AND event IS NOT NULL`,
);

/** Why a change was put aside may quote it. */
const CLEAR_REASONS = new Statement(
  {},
  `UPDATE webchat.rejected_record SET reason = ''
   WHERE organization_id = $1 AND EXISTS (SELECT FROM unnest($2::text[]) AS id WHERE strpos(record, id) > 0)`,
);

/** What a step has erased of some conversations. */
interface ErasedStep extends Erased {
  /** Whether they are erased as a whole. */
  readonly isComplete: boolean;
}

export function findConversations(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  limit: number,
  requestedAt?: Date,
): Promise<RecordKey[]> {
  return keysOf(FIND.run(manager, [...valuesOf(organizationId, subject, limit), requestedAt]));
}

export function listConversations(
  manager: EntityManager,
  organizationId: string,
  after: string,
  limit: number,
): Promise<RecordKey[]> {
  return keysOf(LIST.run(manager, [organizationId, after, limit]));
}

export async function countFound(
  manager: EntityManager,
  organizationId: string,
  subject: Subject,
  limit: number,
): Promise<Found> {
  return (await COUNT.first(manager, valuesOf(organizationId, subject, limit)))!;
}

function valuesOf(organizationId: string, subject: Subject, limit: number): unknown[] {
  const { userIds, phones, emails } = subject;
  return [organizationId, userIds, phones, emails, subjectIdentifiers(subject).map(identifierText), limit];
}

/** @param before of those that have not changed since; undefined: of all */
export async function lockConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  before?: Date,
): Promise<string[]> {
  const locked = before
    ? await LOCK_EXPIRED.run(manager, [organizationId, ids, before])
    : await LOCK.run(manager, [organizationId, ids]);
  return locked.map(({ id }) => id);
}

/** Erases some of what belongs to conversations that are locked, and them when nothing is left of it. */
export async function eraseConversations(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  mode: ErasureMode,
): Promise<ErasedStep> {
  const found: Record<string, number> = {};
  let isComplete = true;
  for (const [name, statements] of Object.entries(BELONGINGS)) {
    const count = await statements[mode].count(manager, [organizationId, ids]);
    if (FOUND_KINDS.includes(name)) found[name] = count;
    if (count === ROWS_PER_STEP) isComplete = false;
  }
  if (!isComplete) return { found, keys: [], isComplete };
  const erase = mode === 'delete' ? DELETE : ANONYMIZE;
  const conversations = await erase.count(manager, [organizationId, ids]);
  await CLEAR_REASONS.count(manager, [organizationId, ids]);
  return { found: { conversations, ...found }, keys: ids.map(keyOf), isComplete };
}

/** Lets area B follow, after what it is told of the conversations before. */
export async function tellErased(
  manager: EntityManager,
  organizationId: string,
  ids: readonly string[],
  mode: ErasureMode,
): Promise<void> {
  await TELL.count(manager, [organizationId, ids, mode === 'delete']);
  if (mode === 'anonymize') await TELL_RATINGS.count(manager, [organizationId, ids]);
}

async function keysOf(found: Promise<{ readonly id: string }[]>): Promise<RecordKey[]> {
  return (await found).map(({ id }) => keyOf(id));
}

function keyOf(id: string): RecordKey {
  return { type: 'conversation', id };
}
