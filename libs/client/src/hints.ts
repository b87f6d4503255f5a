/** The organization's feed has reached a number. */
export interface Hint {
  readonly type: 'conversation-session-changes' | 'survey-response-changes';
  readonly timestamp: string;
  readonly data: { readonly organizationId: string; readonly change: number };
}

/** The hint is unsigned, or was signed long ago. */
export class InvalidHintError extends Error {
  override readonly name = 'InvalidHintError';
}

/** Seconds of age, or of clock difference. */
const TOLERANCE_SECONDS = 300;

/** An object, `Headers`, a `Map`, or an array of pairs; names are case-insensitive. */
export type HintHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | Iterable<readonly [string, string | readonly string[] | undefined]>;

/**
 * Verifies a received hint (https://www.standardwebhooks.com).
 * @param body unparsed
 * @param secret of the endpoint, `whsec_…`
 * @throws InvalidHintError with the reason; TypeError if the secret is malformed
 */
export async function verifyHint(
  headers: HintHeaders,
  body: string | Uint8Array,
  secret: string,
): Promise<Hint> {
  const key = await keyOf(secret);
  const sent = lowerCased(headers);
  const id = headerOf(sent, 'webhook-id');
  const timestamp = headerOf(sent, 'webhook-timestamp');
  const signatures = headerOf(sent, 'webhook-signature');
  if (!/^\d{1,12}$/.test(timestamp))
    throw new InvalidHintError('webhook-timestamp is no time in Unix seconds');
  const age = Date.now() / 1_000 - Number(timestamp);
  if (age > TOLERANCE_SECONDS) throw new InvalidHintError(`the hint is older than ${TOLERANCE_SECONDS} s`);
  if (age < -TOLERANCE_SECONDS)
    throw new InvalidHintError('the hint is of a time to come: compare the clocks');

  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const candidates = signatures.split(' ').filter((part) => /^v1,[A-Za-z0-9+/]{43}=$/.test(part));
  if (candidates.length === 0)
    throw new InvalidHintError('webhook-signature holds no signature of version v1');
  for (const candidate of candidates) {
    const isValid = await globalThis.crypto.subtle.verify('HMAC', key, bytesOf(candidate.slice(3)), signed);
    if (isValid) return JSON.parse(text) as Hint;
  }
  throw new InvalidHintError('the body, as it was passed, is not signed with the secret');
}

function lowerCased(headers: HintHeaders): Map<string, string> {
  const pairs = Symbol.iterator in headers ? headers : Object.entries(headers);
  const sent = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (value !== undefined) sent.set(name.toLowerCase(), [value].flat().join(' '));
  }
  return sent;
}

function headerOf(sent: ReadonlyMap<string, string>, name: string): string {
  const value = sent.get(name)?.trim();
  if (!value) throw new InvalidHintError(`the header ${name} is missing`);
  return value;
}

async function keyOf(secret: string): Promise<CryptoKey> {
  const [, base64] = /^(?:whsec_)?([A-Za-z0-9+/]+=*)$/.exec(secret.trim()) ?? [];
  if (!base64) throw new TypeError('the secret is not the text `whsec_…` that the endpoint was created with');
  return globalThis.crypto.subtle.importKey(
    'raw',
    bytesOf(base64),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  );
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}
