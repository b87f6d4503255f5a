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
    { kind: 'phone', value: normalizePhone(user.phone ?? '') },
    { kind: 'email', value: normalizeEmail(user.email ?? '') },
  ];
  return identifiers.filter(({ value }) => value !== '');
}

/** Phones compare without spaces, dots, dashes and round brackets; a leading `+` counts. */
export function normalizePhone(phone: string): string {
  return phone.replace(/[\s.()\p{Dash}]/gu, '');
}

/** Emails compare without case. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
