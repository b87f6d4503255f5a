import { randomBytes } from 'node:crypto';

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The longest time between opening a page and its answer; if it was longer, the page counts as opened at its answer. */
const MAX_OPEN_MS = 7 * 24 * 60 * 60 * 1_000;

/** The id of a response that is not stored: a UUIDv7 (RFC 9562) of the time at which its page was opened. */
export function newResponseId(openedMs = Date.now()): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(openedMs, 0, 6);
  bytes[6] = 0x70 | (bytes[6]! & 0x0f);
  bytes[8] = 0x80 | (bytes[8]! & 0x3f);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The response id that a form holds; a new one if that is no UUIDv7: nothing that was typed is wrong. */
export function responseIdOf(sent: string | undefined): string {
  const id = sent?.toLowerCase();
  return id !== undefined && UUID_V7.test(id) ? id : newResponseId();
}

/** When the page of a response was opened; a time that cannot be true is the time of the answer. */
export function openedAt(responseId: string, answeredAt: Date): Date {
  const [, high = '', low = ''] = UUID_V7.exec(responseId) ?? [];
  const age = Number(answeredAt) - Number.parseInt(high + low, 16);
  return age >= 0 && age <= MAX_OPEN_MS ? new Date(Number(answeredAt) - age) : answeredAt;
}
