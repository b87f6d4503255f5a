import type { RecordKey, Subject } from '@cxp/erasure';
import { identifierKeys } from '@cxp/identifiers';
import {
  type ContactCenterRecord,
  contactCenterRecordTypes,
  type ConversationData,
  instantOf,
  type UpsertOf,
  utcTime,
} from '@cxp/records';
import { SESSION_ACTIONS } from '../derivation';

/** All but the schedule, which has a table of its own. */
export type ConversationRecord = Exclude<UpsertOf<ContactCenterRecord>, { readonly type: 'human_schedule' }>;

export type StoredRecordType = ConversationRecord['type'];

/** What the certificates of erasures call the types. */
export const KINDS: Readonly<Record<StoredRecordType, string>> = {
  conversation: 'conversations',
  activity: 'activities',
  message: 'messages',
  ticket: 'tickets',
  conversation_survey: 'conversationSurveys',
};

export interface StoredRecord extends RecordKey {
  readonly type: StoredRecordType;
  readonly conversationId: string;
  /** `timeOf` the record: its version, if its type has one. */
  readonly at: string;
  readonly data: string;
  readonly createdAt?: string;
  readonly personKeys?: readonly string[];
}

export function storedRecord(record: ConversationRecord): StoredRecord {
  const { type } = record;
  const stored = {
    type,
    id: String(record.data.id),
    conversationId: record.type === 'conversation' ? record.data.id : record.data.conversationId,
    at: utcTime(timeOf(record)),
    data: JSON.stringify(knownFields(contactCenterRecordTypes[type].data, record.data)),
  };
  if (type !== 'conversation') return stored;
  const { createdAt, updatedAt, customer } = record.data;
  return {
    ...stored,
    // Retention looks only at what was created before the expiry: nothing may seem created after its last update, even if rounded.
    createdAt: new Date(Math.floor(Math.min(instantOf(createdAt), instantOf(updatedAt)))).toISOString(),
    personKeys: personKeys(customer ?? {}),
  };
}

/** Whether a record replaces only older ones. */
export const IS_VERSIONED: Readonly<Record<StoredRecordType, boolean>> = {
  conversation: true,
  activity: false,
  message: false,
  ticket: true,
  conversation_survey: true,
};

/** ISO 8601 with an offset. */
export function timeOf(record: ConversationRecord): string {
  switch (record.type) {
    case 'conversation':
    case 'ticket':
      return record.data.updatedAt;
    case 'activity':
      return record.data.occurredAt;
    case 'message':
      return record.data.sentAt;
    case 'conversation_survey':
      return record.data.submittedAt;
  }
}

/** Rows depend on kept records only. Others are accepted and not stored; they remove a kept record with their key. */
export function isKept({ type, data }: ConversationRecord): boolean {
  switch (type) {
    case 'activity':
      return KEPT_ACTIONS.has(data.action);
    case 'message':
      return data.senderType === 'agent';
    case 'conversation':
    case 'ticket':
    case 'conversation_survey':
      return true;
  }
}

const KEPT_ACTIONS: ReadonlySet<string> = new Set(SESSION_ACTIONS);

function personKeys({ filumId, phone, email }: NonNullable<ConversationData['customer']>): string[] {
  const given = (value: string | null | undefined) => (value ? [value] : []);
  return personKeysOfSubject({ userIds: given(filumId), phones: given(phone), emails: given(email) });
}

export function personKeysOfSubject({ userIds, phones, emails }: Subject): string[] {
  return [...userIds.map((id) => `u${id}`), ...identifierKeys(phones, emails)];
}

interface ObjectSchema {
  readonly properties?: Readonly<Record<string, object>>;
}

/** Leaves out what this release does not know. */
function knownFields({ properties }: ObjectSchema, data: object): Record<string, unknown> {
  const known: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(data) as [string, unknown][]) {
    if (!Object.hasOwn(properties!, field)) continue;
    const schema: ObjectSchema = properties![field]!;
    known[field] = schema.properties && value ? knownFields(schema, value) : value;
  }
  return known;
}
