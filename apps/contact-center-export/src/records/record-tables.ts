import type {
  ActivityData,
  ContactCenterRecord,
  ConversationData,
  ConversationSurveyData,
  MessageData,
  RemovalOf,
  TicketData,
} from '@cxp/platform-records';
import {
  booleanOrNull,
  type RecordColumn,
  integer,
  integerOrNull,
  smallOrNull,
  text,
  textByName,
  textOrNull,
  time,
  timeOrNull,
} from './record-columns';
import { RecordTable } from './record-table';

/** The columns of a record: one for each of its fields, which the compiler demands. */
type ColumnsOf<Data> = { readonly [Field in keyof Data & string]-?: RecordColumn };

export const conversationColumns = {
  id: text,
  createdAt: time,
  updatedAt: time,
  closedAt: timeOrNull,
  customerFilumId: text,
  customerName: text,
  customerPhone: text,
  customerEmail: text,
} satisfies ColumnsOf<ReturnType<typeof flatConversation>>;

export const activityColumns = {
  id: text,
  conversationId: text,
  action: text,
  occurredAt: time,
  // Null together: the activity carried no agent.
  agentAccountId: integerOrNull,
  agentEmail: textOrNull,
  agentName: textOrNull,
  agentIsServiceAccount: booleanOrNull,
} satisfies ColumnsOf<ReturnType<typeof flatActivity>>;

export const messageColumns = {
  id: text,
  conversationId: text,
  senderType: text,
  sentAt: time,
} satisfies ColumnsOf<MessageData>;

export const ticketColumns = {
  id: integer,
  conversationId: text,
  assigneeAccountId: integerOrNull,
  createdAt: time,
  updatedAt: time,
  subject: text,
  description: text,
  status: text,
  priority: text,
  dueDate: timeOrNull,
  assignedAt: timeOrNull,
  resolvedAt: timeOrNull,
  installedSourceId: integerOrNull,
  installedSourceName: text,
  channelType: text,
  customFields: textByName,
} satisfies ColumnsOf<TicketData>;

export const surveyColumns = {
  id: text,
  conversationId: text,
  rating: integerOrNull,
  resolution: smallOrNull,
  feedback: text,
  submittedAt: time,
} satisfies ColumnsOf<ConversationSurveyData>;

/** The tables of records, by the types of the records that they hold. */
export const RECORD_TABLES = {
  conversation: new RecordTable({
    name: 'contact_center.conversation',
    columns: conversationColumns,
    fieldsOf: flatConversation,
    personal: ['customerFilumId', 'customerName', 'customerPhone', 'customerEmail'],
    versioned: 'conversation',
  }),
  activity: new RecordTable({
    name: 'contact_center.activity',
    columns: activityColumns,
    fieldsOf: flatActivity,
    lastAt: 'occurredAt',
  }),
  message: new RecordTable({
    name: 'contact_center.message',
    columns: messageColumns,
    fieldsOf: (message: MessageData) => message,
    lastAt: 'sentAt',
  }),
  ticket: new RecordTable({
    name: 'contact_center.ticket',
    columns: ticketColumns,
    fieldsOf: (ticket: TicketData) => ticket,
    lastAt: 'updatedAt',
    personal: ['subject', 'description', 'customFields'],
    versioned: 'ticket',
  }),
  conversation_survey: new RecordTable({
    name: 'contact_center.conversation_survey',
    columns: surveyColumns,
    fieldsOf: (survey: ConversationSurveyData) => survey,
    lastAt: 'submittedAt',
    personal: ['feedback'],
  }),
} satisfies Record<RemovalOf<ContactCenterRecord>['type'], unknown>;

function flatConversation({ customer, ...fields }: ConversationData) {
  return {
    ...fields,
    customerFilumId: customer?.filumId,
    customerName: customer?.name,
    customerPhone: customer?.phone,
    customerEmail: customer?.email,
  };
}

function flatActivity({ agent, ...fields }: ActivityData) {
  return {
    ...fields,
    agentAccountId: agent?.accountId,
    agentEmail: agent && (agent.email ?? ''),
    agentName: agent && (agent.name ?? ''),
    agentIsServiceAccount: agent && (agent.isServiceAccount ?? false),
  };
}
