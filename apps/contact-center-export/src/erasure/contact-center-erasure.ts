import { ChangeRepository } from '@cxp/change-feed';
import type { Erased, ErasureArea, ErasureMode, RecordKey, Subject } from '@cxp/erasure';
import { isNoNewData } from '@cxp/erasure';
import { INTAKE_TIMEOUTS, withIntakeTurn } from '@cxp/record-intake';
import { Statement, textColumn } from '@cxp/storage';
import type { DataSource, EntityManager } from 'typeorm';
import { contactCenterDatabase } from '../database';
import { Projection } from '../projection/projection';
import { RECORD_TABLES } from '../records/record-tables';
import { ConversationErasure, FOUND_KINDS } from '../records/conversation-erasure';

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

/** How a person's data is erased from area B. */
export function contactCenterErasure(dataSource: DataSource): ErasureArea {
  return new ContactCenterErasure(dataSource);
}

class ContactCenterErasure implements ErasureArea {
  readonly name = name;
  readonly schema = schema;
  readonly kinds = FOUND_KINDS;
  readonly keyTypes = { conversation: /^[^\0]{1,255}$/su, ticket: /^-?\d{1,16}$/ };
  readonly rootsPerStep = 100;

  constructor(private readonly dataSource: DataSource) {}

  transaction<Result>(
    organizationId: string,
    work: (manager: EntityManager) => Promise<Result>,
  ): Promise<Result> {
    return withIntakeTurn(this.dataSource, name, organizationId, work, INTAKE_TIMEOUTS);
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
