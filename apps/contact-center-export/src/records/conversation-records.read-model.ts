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

/** A conversation as the query tells it; lists without an item are null. */
interface Found {
  readonly conversation: Conversation & { readonly updatedAt: Instant };
  readonly activities: Activity[] | null;
  readonly messages: Message[] | null;
  readonly tickets: Ticket[] | null;
  readonly surveys: ConversationSurvey[] | null;
}

@Injectable()
export class ConversationRecordsReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** The records of those of the conversations whose own record has arrived. Of the messages only the agents'. */
  async ofConversations(organizationId: string, ids: readonly string[]): Promise<StoredConversation[]> {
    const found = await this.manager.query<Found[]>(
      `SELECT
         json_build_object(
           'id', id,
           'createdAt', ${milliseconds('created_at')},
           'updatedAt', ${milliseconds('updated_at')},
           'closedAt', ${milliseconds('closed_at')},
           'customer', json_build_object(
             'filumId', customer_filum_id, 'name', customer_name, 'phone', customer_phone, 'email', customer_email
           )
         ) AS conversation,
         (
           SELECT json_agg(json_build_object(
             'action', action,
             'occurredAt', ${milliseconds('occurred_at')},
             'arrival', arrival,
             'agent', CASE WHEN agent_email IS NOT NULL THEN json_build_object(
               'accountId', agent_account_id,
               'email', agent_email,
               'name', agent_name,
               'isServiceAccount', agent_is_service_account
             ) END
           ))
           FROM contact_center.activity
           WHERE organization_id = $1 AND conversation_id = conversation.id
         ) AS activities,
         (
           SELECT json_agg(json_build_object('senderType', 'agent', 'sentAt', ${milliseconds('sent_at')}))
           FROM contact_center.message
           WHERE organization_id = $1 AND conversation_id = conversation.id AND sender_type = 'agent'
         ) AS messages,
         (
           SELECT json_agg(json_build_object(
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
           ))
           FROM contact_center.ticket
           WHERE organization_id = $1 AND conversation_id = conversation.id
         ) AS tickets,
         (
           SELECT json_agg(json_build_object(
             'rating', rating,
             'resolution', resolution,
             'feedback', feedback,
             'submittedAt', ${milliseconds('submitted_at')},
             'arrival', arrival
           ))
           FROM contact_center.conversation_survey
           WHERE organization_id = $1 AND conversation_id = conversation.id
         ) AS surveys
       FROM contact_center.conversation
       WHERE organization_id = $1 AND id = ANY ($2)`,
      [organizationId, ids],
    );
    return found.map(({ conversation, activities, messages, tickets, surveys }) => ({
      conversation,
      updatedAt: conversation.updatedAt,
      activities: activities ?? [],
      messages: messages ?? [],
      tickets: tickets ?? [],
      surveys: surveys ?? [],
    }));
  }
}
