import { booleanColumn, jsonColumn, numberColumn, Statement, textColumn } from '@cxp/storage';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { Agent, ConversationRecords, Instant } from '../derivation';
import { type RecordColumns, expression, integer, jsonOf, type ReadRecord } from './record-columns';
import {
  activityColumns,
  conversationColumns,
  messageColumns,
  RECORD_TABLES,
  surveyColumns,
  ticketColumns,
} from './record-tables';

/** What is known of a conversation, and the time that orders its rows. */
export interface StoredConversation extends ConversationRecords {
  readonly updatedAt: Instant;
}

/** How much belongs to a conversation, whether its own record has arrived or not. */
export interface ConversationWeight {
  readonly records: number;
  /** Of text. */
  readonly bytes: number;
  /** Whether its own record has arrived. */
  readonly isStored: boolean;
}

/** SQL: the condition on the records of the conversation `wanted`. */
const WANTED = 'WHERE organization_id = $1 AND conversation_id = wanted.id';

/** $1 organization, $2 conversation ids. */
const WEIGHTS = new Statement(
  {
    id: textColumn('wanted.id'),
    records: numberColumn('weight.records'),
    bytes: numberColumn('weight.bytes'),
    isStored: booleanColumn(
      `EXISTS (SELECT FROM ${RECORD_TABLES.conversation.name} WHERE organization_id = $1 AND id = wanted.id)`,
    ),
  },
  (list) => `SELECT ${list} FROM unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT count(*) AS records, coalesce(sum(bytes), 0) AS bytes
    FROM (${Object.values(RECORD_TABLES)
      .filter(({ isPart }) => isPart)
      .map(({ name, textBytes }) => `SELECT ${textBytes} AS bytes FROM ${name} ${WANTED}`)
      .join(' UNION ALL ')}) AS record
  ) AS weight`,
);

/** What is read of each type of record. */
const READ = {
  conversation: conversationColumns,
  activity: {
    id: activityColumns.id,
    action: activityColumns.action,
    occurredAt: activityColumns.occurredAt,
    arrival: integer,
    agent: expression<Agent | null>(`CASE WHEN agent_email IS NOT NULL THEN json_build_object(
      'accountId', agent_account_id, 'email', agent_email, 'name', agent_name, 'isServiceAccount', agent_is_service_account
    ) END`),
  },
  message: { id: messageColumns.id, senderType: messageColumns.senderType, sentAt: messageColumns.sentAt },
  ticket: ticketColumns,
  conversation_survey: { ...surveyColumns, arrival: integer },
} satisfies Record<keyof typeof RECORD_TABLES, RecordColumns>;

type RecordType = keyof typeof READ;

const WHERE: Readonly<Record<RecordType, string>> = {
  conversation: 'WHERE organization_id = $1 AND id = wanted.id',
  activity: WANTED,
  message: WANTED,
  ticket: WANTED,
  conversation_survey: WANTED,
};

/** $1 organization, $2 conversation ids. Each record by itself, so that none has to be read before those of a conversation are. */
const RECORDS = new Statement(
  {
    conversationId: textColumn('wanted.id'),
    type: textColumn<RecordType>('record.type'),
    data: jsonColumn('record.data'),
  },
  (list) => `SELECT ${list} FROM unnest($2::text[]) AS wanted (id) CROSS JOIN LATERAL (
    ${Object.entries(RECORD_TABLES)
      .map(([type, { name }]) => {
        const of = type as RecordType;
        return `SELECT '${of}' AS type, ${jsonOf(READ[of])} AS data FROM ${name} ${WHERE[of]}`;
      })
      .join(' UNION ALL ')}
  ) AS record`,
);

@Injectable()
export class ConversationRecordsReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** What belongs to each of the conversations. */
  async weights(organizationId: string, ids: readonly string[]): Promise<Map<string, ConversationWeight>> {
    if (ids.length === 0) return new Map();
    const found = await WEIGHTS.run(this.manager, [organizationId, ids]);
    return new Map(found.map(({ id, ...weight }) => [id, weight]));
  }

  /** The records of those of the conversations whose own record has arrived. */
  async ofConversations(organizationId: string, ids: readonly string[]): Promise<StoredConversation[]> {
    const found = await RECORDS.run(this.manager, [organizationId, ids]);
    const conversations = new Map<string, Gathered>();
    for (const { conversationId, type, data } of found) {
      let gathered = conversations.get(conversationId);
      if (!gathered) {
        gathered = { conversation: [], activity: [], message: [], ticket: [], conversation_survey: [] };
        conversations.set(conversationId, gathered);
      }
      (gathered[type] as unknown[]).push(data);
    }
    return [...conversations.values()].flatMap((gathered) =>
      gathered.conversation.map((conversation) => ({
        conversation,
        updatedAt: conversation.updatedAt,
        activities: gathered.activity,
        messages: gathered.message,
        tickets: gathered.ticket,
        surveys: gathered.conversation_survey,
      })),
    );
  }
}

type Gathered = { readonly [Type in RecordType]: ReadRecord<(typeof READ)[Type]>[] };
