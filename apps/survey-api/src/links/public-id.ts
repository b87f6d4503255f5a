import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { ErasureSecret } from '@cxp/erasure';

/** 128 random bits, and at most so many characters of the organization: the path of a page is no longer. */
const PUBLIC_ID = /^([\w-]{22})([\w-]{0,490})$/;

/**
 * Of a new link: nobody can guess it, and it tells us whose it is, so that the page of a link asks one shard; nobody else can read that. Links of
 * earlier releases have the random part alone, and so have those of an organization whose id is too long.
 */
export function newPublicId(secret: ErasureSecret, organizationId: string): string {
  const random = randomBytes(16);
  const cipher = createCipheriv('aes-128-ctr', keyOf(secret), random);
  const said = cipher.update(organizationId, 'utf8').toString('base64url');
  const id = random.toString('base64url') + said;
  return isPublicId(id) ? id : random.toString('base64url');
}

/** Whether a link could have this public id. */
export function isPublicId(publicId: string): boolean {
  return PUBLIC_ID.test(publicId);
}

/** Whose link a public id says that it is, be it one or not. */
export function organizationOf(secret: ErasureSecret, publicId: string): string | undefined {
  const [, random = '', said = ''] = PUBLIC_ID.exec(publicId) ?? [];
  if (said === '') return undefined;
  const decipher = createDecipheriv('aes-128-ctr', keyOf(secret), Buffer.from(random, 'base64url'));
  return decipher.update(said, 'base64url').toString().replaceAll('\0', '');
}

function keyOf(secret: ErasureSecret): Buffer {
  return secret.hash('survey_link', 'organization');
}
