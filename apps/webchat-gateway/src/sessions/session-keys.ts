import { identifierText, type UserIdentifier } from './user-identifiers';

/** The keys of Redis that a session takes, but those of its identifiers. All of an organization are in one slot of a cluster. */
export function sessionKeys(organizationId: string) {
  const prefix = `webchat:{${organizationId}}`;
  return {
    /** Redis removes it at the session's expiry. */
    session: (id: string) => `${prefix}:session:${id}`,
    /** The sessions over a conversation, by their expiry. */
    sessionsOf: (conversationId: string) => `${prefix}:conversation:${conversationId}`,
    /** There is one of a conversation that no session may be over any more. */
    ended: (conversationId: string) => `${prefix}:ended:${conversationId}`,
  };
}

export function identifierKey(organizationId: string, identifier: UserIdentifier): string {
  return `webchat:{${organizationId}}:${identifierText(identifier)}`;
}

/** The text of the identifier whose key this is. */
export function identifierTextOf(organizationId: string, key: string): string {
  return key.slice(`webchat:{${organizationId}}:`.length);
}
