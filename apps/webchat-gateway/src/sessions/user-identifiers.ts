import type { Subject } from '@cxp/erasure';
import { comparableEmail, comparablePhone } from '@cxp/identifiers';
import type { WebchatUser } from '../conversations/conversation.repository';

/* Identifiers have the form `user:…`, `phone:…` or `email:…`. Equal texts mean the same customer. */

export function userIdentifier(userId: string): string {
  return `user:${userId}`;
}

/** Drops values that identify nobody: a phone or email that normalises to an empty text. */
export function namedUser({ id, name, phone, email }: Partial<WebchatUser>): Partial<WebchatUser> {
  const isPhone = comparablePhone(phone ?? '') !== '';
  const isEmail = comparableEmail(email ?? '') !== '';
  return { id, name, phone: isPhone ? phone : null, email: isEmail ? email : null };
}

/** In matching order: `user.id`, phone, email. */
export function userIdentifiers({ id = '', phone, email }: Partial<WebchatUser>): string[] {
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
