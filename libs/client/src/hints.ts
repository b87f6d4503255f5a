/** The body of a hint: the feed of an organization has reached a number. */
export interface Hint {
  readonly type: 'conversation-session-changes' | 'survey-response-changes';
  readonly timestamp: string;
  readonly data: { readonly organizationId: string; readonly change: number };
}

/** A hint that the service did not sign, or that was signed long ago. */
export class InvalidHintError extends Error {
  override readonly name = 'InvalidHintError';
}

/** How old a hint may be, and how far ahead its clock, in seconds. */
const TOLERANCE_SECONDS = 300;

/**
 * Reads a hint that a webhook endpoint has received (https://www.standardwebhooks.com).
 * @param body as it arrived
 * @param secret of the endpoint, `whsec_…`
 * @throws InvalidHintError
 */
export async function verifyHint(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
  secret: string,
): Promise<Hint> {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((part) => {
    const value = headers[`webhook-${part}`];
    return typeof value === 'string' ? value : '';
  }) as [string, string, string];
  const age = Date.now() / 1_000 - (/^\d+$/.test(timestamp) ? Number(timestamp) : NaN);
  if (!(Math.abs(age) <= TOLERANCE_SECONDS)) throw new InvalidHintError('the hint has no recent timestamp');
  const { subtle } = globalThis.crypto;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), algorithm, false, [
    'verify',
  ]);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const part of signatures.split(' ')) {
    const [version, signature = ''] = part.split(',');
    const isBase64 = /^[A-Za-z0-9+/]{43}=$/.test(signature);
    if (version !== 'v1' || !isBase64) continue;
    if (await subtle.verify('HMAC', key, bytesOf(signature), signed)) return JSON.parse(body) as Hint;
  }
  throw new InvalidHintError('the hint is not signed with the secret');
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
