import { comparableEmail, comparablePhone, type Subject } from '@cxp/erasure';
import type { WebchatUser } from '../conversations/conversation.repository';

export type IdentifierKind = 'user' | 'phone' | 'email';

/** What a session can be matched by. */
export interface UserIdentifier {
  readonly kind: IdentifierKind;
  /** Normalised: equal values are the same customer. */
  readonly value: string;
}

/** The identifiers sent with a user, in the order in which they match: `user.id`, then phone, then email. */
export function userIdentifiers(user: Partial<WebchatUser>): UserIdentifier[] {
  const identifiers: UserIdentifier[] = [
    { kind: 'user', value: user.id ?? '' },
    { kind: 'phone', value: comparablePhone(user.phone ?? '') },
    { kind: 'email', value: comparableEmail(user.email ?? '') },
  ];
  return identifiers.filter(({ value }) => value !== '');
}

/** The identifiers of a person whose data is erased. */
export function subjectIdentifiers({ userIds, phones, emails }: Subject): UserIdentifier[] {
  const ofKind = (kind: IdentifierKind, values: readonly string[]) =>
    values.map((value) => ({ kind, value }));
  return [...ofKind('user', userIds), ...ofKind('phone', phones), ...ofKind('email', emails)];
}

/** A text that is another one for each identifier of an organization. */
export function identifierText({ kind, value }: UserIdentifier): string {
  return `${kind}:${value}`;
}
