import { isUUID } from 'class-validator';
import { type InvalidItem, rejectAsInvalid } from '@cxp/error-envelopes';
import { isInstant, utcTime } from '@cxp/records';
import { yieldToEventLoop } from '@cxp/storage';
import type { ErasureArea } from './erasure-area';
import type { KeptCertificate } from './erasure.repository';

/** Keys checked between two pauses. */
const KEYS_AT_ONCE = 10_000;

/**
 * @param organizationId which the certificate must name
 * @throws ProblemError 422 with everything that is wrong with it
 */
export async function readCertificate(
  body: unknown,
  { name, kinds, keyTypes }: Pick<ErasureArea, 'name' | 'kinds' | 'keyTypes'>,
  organizationId: string,
): Promise<KeptCertificate> {
  const sent = (typeof body === 'object' && body !== null ? body : {}) as Partial<Record<string, unknown>>;
  const { id, area, keys, mode, requestedAt, found } = sent;
  const problems: InvalidItem[] = [];
  const check = (isRight: boolean, member: string, msg: string) => {
    if (!isRight)
      problems.push({ loc: ['body', member], msg: `${member} must be ${msg}`, type: 'value_error' });
  };
  check(isUUID(id, 'loose'), 'id', 'a UUID');
  check(sent.organizationId === organizationId, 'organizationId', 'that of the caller');
  check(area === name, 'area', 'this one');
  check(mode === undefined || mode === 'delete', 'mode', 'delete, or be left out');
  check(
    requestedAt === undefined || (typeof requestedAt === 'string' && isInstant(requestedAt)),
    'requestedAt',
    'a date-time with an offset (2026-01-05T02:11:09.000Z)',
  );
  check(found === undefined || isFound(found), 'found', 'whole numbers by kind');
  check(await areKeys(keys, keyTypes), 'keys', 'ids of records of this area by their type');
  if (problems.length > 0) rejectAsInvalid(...problems);
  return {
    organizationId,
    id: (id as string).toLowerCase(),
    requestedAt: requestedAt === undefined ? new Date() : new Date(utcTime(requestedAt as string)),
    found: Object.fromEntries(
      kinds.map((kind) => [kind, Number((found as KeptCertificate['found'])?.[kind] ?? 0)]),
    ),
    keys: keys as KeptCertificate['keys'],
  };
}

function isFound(found: unknown): boolean {
  return (
    isMap(found) &&
    Object.values(found).every((count) => Number.isSafeInteger(count) && (count as number) >= 0)
  );
}

async function areKeys(keys: unknown, types: ErasureArea['keyTypes']): Promise<boolean> {
  if (!isMap(keys)) return false;
  for (const [type, ids] of Object.entries(keys)) {
    if (!Object.hasOwn(types, type) || !Array.isArray(ids)) return false;
    const form = types[type]!;
    for (const [place, id] of (ids as unknown[]).entries()) {
      if (place % KEYS_AT_ONCE === KEYS_AT_ONCE - 1) await yieldToEventLoop();
      if (typeof id !== 'string' || !form.test(id) || !id.isWellFormed()) return false;
    }
  }
  return true;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
