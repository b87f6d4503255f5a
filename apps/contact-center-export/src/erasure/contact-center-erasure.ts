import { ChangeRepository } from '@cxp/change-feed';
import type { Erased, ErasureArea, ErasureMode, Found, RecordKey, Subject } from '@cxp/erasure';
import { isNoNewData } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withIntakeTurn } from '@cxp/record-intake';
import { numberColumn, Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../projection/projection';
import { RECORD_TABLES } from '../records/record-tables';
import { ConversationErasure, FOUND_KINDS, foundOf } from '../records/conversation-erasure';

const { name, schema } = contactCenterDatabase;

/** SQL: the first conversations of a subject, at most $5. $1 organization, $2 user ids, $3 phones, $4 emails. */
function conversationsOf(condition = 'TRUE'): string {
  return [
    ['customer_filum_id', 'customer_filum_id', '$2'],
    ['customer_phone', `${schema}.comparable_phone(customer_phone)`, '$3'],
    ['customer_email', `${schema}.comparable_email(customer_email)`, '$4'],
  ]
    .map(
      ([column, comparable, identifiers]) => `(
        SELECT id FROM ${schema}.conversation
        WHERE organization_id = $1 AND ${column} <> '' AND left(${comparable}, 255) = ANY (${identifiers}::text[])
          AND ${comparable} = ANY (${identifiers}::text[]) AND ${condition}
        LIMIT $5
      )`,
    )
    .join(' UNION ');
}

const ID = { id: textColumn('id') };

/** $6 when the erasure was asked for, if it was yet. */
const FIND = new Statement(
  ID,
  (list) => `SELECT ${list} FROM (${conversationsOf(isNoNewData('$6::timestamptz'))}) AS found LIMIT $5`,
);

/** $5 how many of each kind are counted at most. */
const COUNT = new Statement(
  {
    conversation: numberColumn('(SELECT count(*) FROM root)'),
    activity: countOf(RECORD_TABLES.activity.name),
    message: countOf(RECORD_TABLES.message.name),
    ticket: countOf(RECORD_TABLES.ticket.name),
    conversation_survey: countOf(RECORD_TABLES.conversation_survey.name),
  },
  (list) =>
    `WITH root AS MATERIALIZED (SELECT id FROM (${conversationsOf()}) AS found LIMIT $5) SELECT ${list}`,
);

function countOf(table: string) {
  return numberColumn(`(SELECT count(*) FROM (
    SELECT FROM root CROSS JOIN LATERAL (
      SELECT FROM ${table} WHERE organization_id = $1 AND conversation_id = root.id OFFSET 0
    ) AS record LIMIT $5
  ) AS counted)`);
}

/** Also of those that have not arrived. $1 organization, $2 the id before the first, $3 limit. */
const LIST_CONVERSATIONS = new Statement(
  { id: textColumn('root.id') },
  (list) => `SELECT ${list} FROM (
      SELECT organization_id, id, ${RECORD_TABLES.conversation.isPersonal} AS is_personal FROM ${schema}.conversation
      WHERE organization_id = $1
      UNION ALL
      SELECT organization_id, id, FALSE FROM ${schema}.awaited_conversation WHERE organization_id = $1
    ) AS root
    WHERE root.id > $2 AND (
      is_personal
      ${[RECORD_TABLES.ticket, RECORD_TABLES.conversation_survey]
        .map(
          (table) => `OR EXISTS (
            SELECT FROM ${table.name}
            WHERE organization_id = $1 AND conversation_id = root.id AND (${table.isPersonal})
          )`,
        )
        .join(' ')}
    )
    ORDER BY root.id LIMIT $3`,
);

const LIST_TICKETS = new Statement(
  { id: textColumn('ticket.id') },
  (list) => `SELECT ${list} FROM ${schema}.ticket
    WHERE organization_id = $1 AND ticket.id > $2::bigint AND (${RECORD_TABLES.ticket.isPersonal})
    ORDER BY ticket.id LIMIT $3`,
);

/** Below every id of a ticket. */
const BEFORE_TICKETS = '-9223372036854775808';

/** How a person's data is erased from area B. */
export function contactCenterErasure(dataSource: DataSource): ErasureArea {
  return new ContactCenterErasure(dataSource);
}

class ContactCenterErasure implements ErasureArea {
  readonly name = name;
  readonly schema = schema;
  readonly kinds = FOUND_KINDS;
  readonly sealedTypes = ['conversation', 'ticket'];
  readonly rootsPerStep = 100;

  constructor(private readonly dataSource: DataSource) {}

  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return withIntakeTurn(this.dataSource, name, organizationId, work, INTAKE_TIMEOUTS);
  }

  async count(
    manager: EntityManager,
    organizationId: string,
    subject: Subject,
    limit: number,
  ): Promise<Found> {
    return foundOf((await COUNT.first(manager, [organizationId, ...identifiersOf(subject), limit]))!);
  }

  async find(
    manager: EntityManager,
    organizationId: string,
    subject: Subject,
    limit: number,
    requestedAt?: Date,
  ): Promise<readonly RecordKey[]> {
    const found = await FIND.run(manager, [organizationId, ...identifiersOf(subject), limit, requestedAt]);
    return found.map(({ id }) => ({ type: 'conversation', id }));
  }

  async list(
    manager: EntityManager,
    organizationId: string,
    after: RecordKey | undefined,
    limit: number,
  ): Promise<readonly RecordKey[]> {
    const isAtTickets = after?.type === 'ticket';
    const conversations = isAtTickets
      ? []
      : await LIST_CONVERSATIONS.run(manager, [organizationId, after?.id ?? '', limit]);
    const found = conversations.map(({ id }) => ({ type: 'conversation', id }));
    if (found.length > 0) return found;
    const afterTicket = isAtTickets ? after.id : BEFORE_TICKETS;
    const tickets = await LIST_TICKETS.run(manager, [organizationId, afterTicket, limit]);
    return tickets.map(({ id }) => ({ type: 'ticket', id }));
  }

  async erase(
    manager: EntityManager,
    organizationId: string,
    roots: readonly RecordKey[],
    mode: ErasureMode,
  ): Promise<Erased> {
    const idsOf = (wanted: string) => roots.filter(({ type }) => type === wanted).map(({ id }) => id);
    const conversations = new ConversationErasure(manager);
    const ids = await conversations.first(organizationId, idsOf('conversation'));
    const { found, keys } = await conversations.erase(organizationId, ids, mode);
    // Of an erasure that is applied again: they have moved to another conversation.
    const tickets = idsOf('ticket');
    const { ticket } = RECORD_TABLES;
    const touched =
      mode === 'delete'
        ? await ticket.delete(manager, organizationId, tickets)
        : await ticket.anonymize(manager, organizationId, tickets);
    const erased = {
      found: { ...found, tickets: found.tickets! + touched.length },
      keys: [...keys, ...tickets.map((id) => ({ type: 'ticket', id }))],
    };
    const reason = mode === 'delete' ? 'erased' : undefined;
    await new Projection(manager).renew(
      organizationId,
      [...new Set([...ids, ...touched.map(({ conversationId }) => conversationId)])],
      reason,
    );
    return erased;
  }

  async lastChange(manager: EntityManager, organizationId: string): Promise<number> {
    return new ChangeRepository(manager, schema).last(organizationId);
  }
}

function identifiersOf({ userIds, phones, emails }: Subject): (readonly string[])[] {
  return [userIds, phones, emails];
}
