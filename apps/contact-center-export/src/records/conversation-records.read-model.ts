import {
  booleanColumn,
  jsonColumn,
  nullable,
  numberColumn,
  Statement,
  textColumn,
  timeColumn,
  withPauses,
} from '@cxp/storage';
import {
  type ActivityData,
  type ConversationData,
  type ConversationSurveyData,
  instantOf,
  type MessageData,
  type TicketData,
  utcTime,
} from '@cxp/records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { ConversationRecords } from '../derivation';
import type { Instant } from '../instant';
import type { StoredRecordType } from './stored-record';

/** `updatedAt` orders the rows; it has the form of `utcTime`. */
export interface StoredConversation extends ConversationRecords {
  readonly updatedAt: string;
}

const WEIGHTS = new Statement(
  { organizationId: 'text', ids: 'text[]' },
  {
    id: textColumn('wanted.id'),
    /** Excludes the conversation's own record. */
    records: numberColumn('weight.records'),
    bytes: numberColumn('weight.bytes'),
    lastAt: nullable(timeColumn('weight.last_at')),
    isStored: booleanColumn('weight.is_stored'),
    rows: numberColumn('projected.rows'),
  },
  (list) => `SELECT ${list} FROM unnest($ids) AS wanted (id) CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE type <> 'conversation') AS records,
      coalesce(sum(bytes) FILTER (WHERE type <> 'conversation'), 0) AS bytes,
      max(at) FILTER (WHERE type <> 'conversation') AS last_at,
      coalesce(bool_or(type = 'conversation' AND data IS NOT NULL), FALSE) AS is_stored
    FROM contact_center.record WHERE organization_id = $organizationId AND conversation_id = wanted.id
  ) AS weight CROSS JOIN LATERAL (
    SELECT count(*) AS rows FROM contact_center.conversation_session
    WHERE organization_id = $organizationId AND conversation_id = wanted.id
  ) AS projected`,
);

const RECORDS = new Statement(
  { organizationId: 'text', ids: 'text[]' },
  {
    conversationId: textColumn('wanted.id'),
    type: textColumn<StoredRecordType>('record.type'),
    data: jsonColumn<unknown>('record.data'),
    arrival: numberColumn('record.arrival'),
  },
  (list) => `SELECT ${list} FROM unnest($ids) AS wanted (id) CROSS JOIN LATERAL (
    SELECT type, data, arrival FROM contact_center.record
    WHERE organization_id = $organizationId AND conversation_id = wanted.id AND data IS NOT NULL OFFSET 0
  ) AS record`,
);

const IDS_AFTER = new Statement(
  { organizationId: 'text', after: 'text', limit: 'integer' },
  { id: textColumn('id') },
  (list) => `SELECT ${list} FROM contact_center.record
    WHERE organization_id = $organizationId AND type = 'conversation' AND id > $after AND data IS NOT NULL ORDER BY record.id LIMIT $limit`,
);

@Injectable()
export class ConversationRecordsReadModel {
  constructor(private readonly manager: EntityManager) {}

  async weights(organizationId: string, ids: readonly string[]) {
    return ids.length > 0 ? WEIGHTS.run(this.manager, { organizationId, ids }) : [];
  }

  async idsAfter(organizationId: string, after: string, limit: number): Promise<string[]> {
    return (await IDS_AFTER.run(this.manager, { organizationId, after, limit })).map(({ id }) => id);
  }

  async ofConversations(organizationId: string, ids: readonly string[]): Promise<StoredConversation[]> {
    const found = ids.length > 0 ? await RECORDS.run(this.manager, { organizationId, ids }) : [];
    const conversations = new Map<string, Gathered>();
    for await (const { conversationId, type, data, arrival } of withPauses(found)) {
      let gathered = conversations.get(conversationId);
      if (!gathered) {
        gathered = { activities: [], messages: [], tickets: [], surveys: [] };
        conversations.set(conversationId, gathered);
      }
      gather(gathered, type, data, arrival);
    }
    return [...conversations.values()].filter(
      (gathered) => gathered.conversation !== undefined,
    ) as StoredConversation[];
  }
}

type Gathered = {
  -readonly [Part in keyof ConversationRecords]?: ConversationRecords[Part];
} & {
  readonly activities: ConversationRecords['activities'][number][];
  readonly messages: ConversationRecords['messages'][number][];
  readonly tickets: ConversationRecords['tickets'][number][];
  readonly surveys: ConversationRecords['surveys'][number][];
  updatedAt?: string;
};

/** A field that a record omits is null or blank. */
function gather(gathered: Gathered, kind: StoredRecordType, data: unknown, arrival: number): void {
  switch (kind) {
    case 'conversation': {
      const { id, createdAt, updatedAt, closedAt, customer } = data as ConversationData;
      gathered.updatedAt = utcTime(updatedAt);
      gathered.conversation = {
        id,
        createdAt: instantOf(createdAt),
        closedAt: instant(closedAt),
        customerFilumId: customer?.filumId ?? '',
        customerName: customer?.name ?? '',
        customerPhone: customer?.phone ?? '',
        customerEmail: customer?.email ?? '',
      };
      return;
    }
    case 'activity': {
      const { id, action, occurredAt, agent } = data as ActivityData;
      gathered.activities.push({
        id,
        action,
        occurredAt: instantOf(occurredAt),
        arrival,
        agent: agent
          ? {
              accountId: agent.accountId ?? null,
              email: agent.email ?? '',
              name: agent.name ?? '',
              isServiceAccount: agent.isServiceAccount ?? false,
            }
          : null,
      });
      return;
    }
    case 'message': {
      const { id, senderType, sentAt } = data as MessageData;
      gathered.messages.push({ id, senderType, sentAt: instantOf(sentAt) });
      return;
    }
    case 'ticket': {
      const ticket = data as TicketData;
      gathered.tickets.push({
        ...ticket,
        assigneeAccountId: ticket.assigneeAccountId ?? null,
        createdAt: instantOf(ticket.createdAt),
        updatedAt: instantOf(ticket.updatedAt),
        dueDate: instant(ticket.dueDate),
        assignedAt: instant(ticket.assignedAt),
        resolvedAt: instant(ticket.resolvedAt),
      });
      return;
    }
    case 'conversation_survey': {
      const { id, rating, resolution, feedback, submittedAt } = data as ConversationSurveyData;
      gathered.surveys.push({
        id,
        rating: rating ?? null,
        resolution: resolution ?? null,
        feedback: feedback ?? '',
        submittedAt: instantOf(submittedAt),
        arrival,
      });
      return;
    }
    default:
      kind satisfies never;
  }
}

function instant(text: string | null | undefined): Instant | null {
  return text === null || text === undefined ? null : instantOf(text);
}
