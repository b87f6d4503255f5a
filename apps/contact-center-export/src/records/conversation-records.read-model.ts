import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type {
  Activity,
  Conversation,
  ConversationRecords,
  ConversationSurvey,
  Instant,
  Message,
  Ticket,
} from '../derivation';
import { milliseconds } from '../database/sql';

/** What is known of a conversation, and the time that orders its rows. */
export interface StoredConversation extends ConversationRecords {
  readonly updatedAt: Instant;
}

/** How much belongs to a conversation, whether its own record has arrived or not. */
export interface ConversationWeight {
  readonly records: number;
  /** Of them messages that are no agent's: no row tells of them. */
  readonly passive: number;
  /** Of text. */
  readonly bytes: number;
}

/** A record as the query tells it: each by itself, so that none has to be read before those of a conversation are. */
type Found = { readonly conversationId: string } & (
  | { readonly type: 'conversation'; readonly data: Conversation & { readonly updatedAt: Instant } }
  | { readonly type: 'activity'; readonly data: Activity }
  | { readonly type: 'message'; readonly data: Message }
  | { readonly type: 'ticket'; readonly data: Ticket }
  | { readonly type: 'survey'; readonly data: ConversationSurvey }
);

/** SQL: the condition on the records of the conversation `wanted`. */
const WANTED = 'WHERE organization_id = $1 AND conversation_id = wanted.id';

const WEIGHTS = `
  SELECT wanted.id, weight.records, weight.passive, weight.bytes
  FROM unnest($2::text[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT count(*)::float8 AS records, count(*) FILTER (WHERE passive)::float8 AS passive,
      coalesce(sum(bytes), 0)::float8 AS bytes
    FROM (
      SELECT FALSE AS passive, octet_length(action) + coalesce(octet_length(agent_email) + octet_length(agent_name), 0) AS bytes
      FROM contact_center.activity ${WANTED}
      UNION ALL
      SELECT sender_type <> 'agent', octet_length(sender_type) FROM contact_center.message ${WANTED}
      UNION ALL
      SELECT FALSE, octet_length(subject) + octet_length(description) + octet_length(status) + octet_length(priority)
        + octet_length(installed_source_name) + octet_length(channel_type) + octet_length(custom_fields::text)
      FROM contact_center.ticket ${WANTED}
      UNION ALL
      SELECT FALSE, octet_length(feedback) FROM contact_center.conversation_survey ${WANTED}
    ) AS record
  ) AS weight`;

const RECORDS = `
  SELECT wanted.id AS "conversationId", record.type, record.data
  FROM unnest($2::text[]) AS wanted (id)
  CROSS JOIN LATERAL (
    SELECT 'conversation' AS type, json_build_object(
      'id', id,
      'createdAt', ${milliseconds('created_at')},
      'updatedAt', ${milliseconds('updated_at')},
      'closedAt', ${milliseconds('closed_at')},
      'customer', json_build_object(
        'filumId', customer_filum_id, 'name', customer_name, 'phone', customer_phone, 'email', customer_email
      )
    ) AS data
    FROM contact_center.conversation WHERE organization_id = $1 AND id = wanted.id
    UNION ALL
    SELECT 'activity', json_build_object(
      'action', action,
      'occurredAt', ${milliseconds('occurred_at')},
      'arrival', arrival,
      'agent', CASE WHEN agent_email IS NOT NULL THEN json_build_object(
        'accountId', agent_account_id,
        'email', agent_email,
        'name', agent_name,
        'isServiceAccount', agent_is_service_account
      ) END
    )
    FROM contact_center.activity ${WANTED}
    UNION ALL
    SELECT 'message', json_build_object('senderType', 'agent', 'sentAt', ${milliseconds('sent_at')})
    FROM contact_center.message ${WANTED} AND sender_type = 'agent'
    UNION ALL
    SELECT 'ticket', json_build_object(
      'id', id,
      'assigneeAccountId', assignee_account_id,
      'createdAt', ${milliseconds('created_at')},
      'updatedAt', ${milliseconds('updated_at')},
      'subject', subject,
      'description', description,
      'status', status,
      'priority', priority,
      'dueDate', ${milliseconds('due_date')},
      'assignedAt', ${milliseconds('assigned_at')},
      'resolvedAt', ${milliseconds('resolved_at')},
      'installedSourceId', installed_source_id,
      'installedSourceName', installed_source_name,
      'channelType', channel_type,
      'customFields', custom_fields
    )
    FROM contact_center.ticket ${WANTED}
    UNION ALL
    SELECT 'survey', json_build_object(
      'rating', rating,
      'resolution', resolution,
      'feedback', feedback,
      'submittedAt', ${milliseconds('submitted_at')},
      'arrival', arrival
    )
    FROM contact_center.conversation_survey ${WANTED}
  ) AS record`;

@Injectable()
export class ConversationRecordsReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** What belongs to each of the conversations. */
  async weights(organizationId: string, ids: readonly string[]): Promise<Map<string, ConversationWeight>> {
    if (ids.length === 0) return new Map();
    const found = await this.manager.query<(ConversationWeight & { readonly id: string })[]>(WEIGHTS, [
      organizationId,
      ids,
    ]);
    return new Map(found.map(({ id, ...weight }) => [id, weight]));
  }

  /** The records of those of the conversations whose own record has arrived. Of the messages only the agents'. */
  async ofConversations(organizationId: string, ids: readonly string[]): Promise<StoredConversation[]> {
    const found = await this.manager.query<Found[]>(RECORDS, [organizationId, ids]);
    const conversations = new Map<string, Gathered>();
    for (const record of found) {
      let gathered = conversations.get(record.conversationId);
      if (!gathered) {
        gathered = { activities: [], messages: [], tickets: [], surveys: [] };
        conversations.set(record.conversationId, gathered);
      }
      add(gathered, record);
    }
    return [...conversations.values()].flatMap(({ conversation, ...records }) =>
      conversation ? { conversation, updatedAt: conversation.updatedAt, ...records } : [],
    );
  }
}

interface Gathered {
  conversation?: Conversation & { readonly updatedAt: Instant };
  readonly activities: Activity[];
  readonly messages: Message[];
  readonly tickets: Ticket[];
  readonly surveys: ConversationSurvey[];
}

function add(gathered: Gathered, { type, data }: Found): void {
  switch (type) {
    case 'conversation':
      gathered.conversation = data;
      return;
    case 'activity':
      gathered.activities.push(data);
      return;
    case 'message':
      gathered.messages.push(data);
      return;
    case 'ticket':
      gathered.tickets.push(data);
      return;
    case 'survey':
      gathered.surveys.push(data);
  }
}
