import type { Subject } from '@cxp/erasure';
import { comparableEmail, comparablePhone } from '@cxp/identifiers';
import type { WebchatUser } from '../conversations/conversation.repository';

/*
 * What a session can be matched by, as a text that is another one for each identifier of an organization: `user:…`, `phone:…`, `email:…`. Equal
 * texts are the same customer.
 */

export function userIdentifier(userId: string): string {
  return `user:${userId}`;
}

/** A user without what names nobody: a phone or an email that is empty when compared is as omitted. */
export function namedUser({ id, name, phone, email }: Partial<WebchatUser>): Partial<WebchatUser> {
  const isPhone = comparablePhone(phone ?? '') !== '';
  const isEmail = comparableEmail(email ?? '') !== '';
  return { id, name, phone: isPhone ? phone : null, email: isEmail ? email : null };
}

/** The identifiers sent with a user, in the order in which they match: `user.id`, then phone, then email. */
export function userIdentifiers({ id = '', phone, email }: Partial<WebchatUser>): string[] {
  const values = { user: id, phone: comparablePhone(phone ?? ''), email: comparableEmail(email ?? '') };
  return Object.entries(values).flatMap(([kind, value]) => (value === '' ? [] : `${kind}:${value}`));
}

/** The identifiers of a person whose data is erased. */
export function subjectIdentifiers({ userIds, phones, emails }: Subject): string[] {
  return [
    ...userIds.map(userIdentifier),
    ...phones.map((phone) => `phone:${phone}`),
    ...emails.map((email) => `email:${email}`),
  ];
}
