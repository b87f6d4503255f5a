import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { Subject } from '@cxp/erasure';
import { comparableEmail, comparablePhone, isVisibleText } from '@cxp/identifiers';
import { jsonColumn, numberColumn, type RowOf, Statement, textColumn, UnscopedStatement } from '@cxp/storage';
import type { Agent, ConversationStatus, ReadMarks } from '../chat-protocol/shapes';
import { WebchatSettings } from '../settings';

/** What a call says of its user; what it leaves out is unchanged. */
export interface UserDescription {
  readonly name?: string;
  readonly email?: string;
  readonly phone?: string;
}

type SentUser = { readonly [Field in 'id' | keyof UserDescription]?: string | null };

export interface NamedUser extends UserDescription {
  readonly id?: string;
}

/* Identifiers have the form `user:…`, `phone:…` or `email:…`. Equal texts mean the same customer. */

export function userIdentifier(userId: string): string {
  return `user:${userId}`;
}

/** Without what says nothing: a name that nobody can see, a phone or email that normalises to an empty text. */
export function namedUser({ id, name, phone, email }: SentUser): NamedUser {
  return {
    id: id ?? undefined,
    name: name && isVisibleText(name) ? name : undefined,
    phone: phone && comparablePhone(phone) ? phone : undefined,
    email: email && comparableEmail(email) ? email : undefined,
  };
}

/** In matching order: `user.id`, phone, email. */
export function userIdentifiers({ id = '', phone, email }: NamedUser): string[] {
  const values = { user: id, phone: comparablePhone(phone ?? ''), email: comparableEmail(email ?? '') };
  return Object.entries(values).flatMap(([kind, value]) => (value === '' ? [] : `${kind}:${value}`));
}

export function subjectIdentifiers({ userIds, phones, emails }: Subject): string[] {
  return [
    ...userIds.map(userIdentifier),
    ...phones.map((phone) => `phone:${phone}`),
    ...emails.map((email) => `email:${email}`),
  ];
}

const STATE_COLUMNS = {
  /** 0 without events. */
  lastEvent: numberColumn('last_event'),
  status: textColumn<ConversationStatus>(`CASE WHEN closed_at IS NULL THEN 'open' ELSE 'closed' END`),
  agent: jsonColumn<Agent>('agent'),
  read: jsonColumn<ReadMarks>(`json_build_object('customer', customer_read, 'agent', agent_read)`),
};
export type ConversationState = RowOf<typeof STATE_COLUMNS>;

const FIND_STATE = new Statement(
  { organizationId: 'text', id: 'uuid' },
  STATE_COLUMNS,
  (list) => `SELECT ${list} FROM webchat.conversation WHERE organization_id = $organizationId AND id = $id`,
);

const FIND_LAST_EVENTS = new UnscopedStatement(
  { organizationIds: 'text[]', ids: 'uuid[]' },
  { id: textColumn('id'), event: numberColumn('last_event') },
  (list) => `
  SELECT ${list} FROM unnest($organizationIds, $ids) AS wanted (organization_id, id)
  JOIN webchat.conversation USING (organization_id, id)`,
);

const LOCK = new Statement(
  { organizationId: 'text', id: 'uuid' },
  {},
  'SELECT 1 FROM webchat.conversation WHERE organization_id = $organizationId AND id = $id FOR NO KEY UPDATE',
);

export const FIND_OR_CREATE_CONVERSATION = new Statement(
  {
    organizationId: 'text',
    id: 'text | null',
    name: 'text | null',
    email: 'text | null',
    phone: 'text | null',
    identifiers: 'text[]',
    delivers: 'boolean',
  },
  { id: textColumn('id') },
  (list) =>
    `SELECT ${list} FROM webchat.find_or_create_conversation($organizationId, $id, $name, $email, $phone, $identifiers, $delivers) AS id`,
  'prepared',
);

const DESCRIBE_USER = new Statement(
  {
    organizationId: 'text',
    id: 'uuid',
    name: 'text | null',
    email: 'text | null',
    phone: 'text | null',
    identifiers: 'text[]',
    delivers: 'boolean',
  },
  {},
  'SELECT webchat.describe_user($organizationId, $id, $name, $email, $phone, $identifiers, $delivers)',
  'prepared',
);

@Injectable()
export class ConversationRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Finds or creates the user's conversation; `user_id` is unique, so concurrent calls get the same.
   * @param identifiers other identifiers
   * @returns its id
   */
  async findOrCreate(
    organizationId: string,
    user: NamedUser,
    identifiers: readonly string[],
  ): Promise<string> {
    const conversation = await FIND_OR_CREATE_CONVERSATION.first(this.manager, {
      organizationId,
      id: user.id,
      name: user.name,
      email: user.email,
      phone: user.phone,
      identifiers,
      delivers: this.settings.deliversRecords,
    });
    return conversation!.id;
  }

  /** @param identifiers other identifiers */
  async describeUser(
    organizationId: string,
    id: string,
    { name, email, phone }: UserDescription,
    identifiers: readonly string[],
  ): Promise<void> {
    await DESCRIBE_USER.count(this.manager, {
      organizationId,
      id,
      name,
      email,
      phone,
      identifiers,
      delivers: this.settings.deliversRecords,
    });
  }

  /**
   * Blocks appends to the conversation until the transaction ends.
   * @returns whether it exists
   */
  async lock(manager: EntityManager, organizationId: string, conversationId: string): Promise<boolean> {
    return (await LOCK.count(manager, { organizationId, id: conversationId })) === 1;
  }

  state(organizationId: string, conversationId: string): Promise<ConversationState | undefined> {
    return FIND_STATE.first(this.manager, { organizationId, id: conversationId });
  }

  /** @returns the last event's number by conversation, without erased ones */
  async lastEvents(
    conversations: readonly { readonly organizationId: string; readonly conversationId: string }[],
  ): Promise<ReadonlyMap<string, number>> {
    const found = await FIND_LAST_EVENTS.run(this.manager, {
      organizationIds: conversations.map(({ organizationId }) => organizationId),
      ids: conversations.map(({ conversationId }) => conversationId),
    });
    return new Map(found.map(({ id, event }) => [id, event]));
  }
}
