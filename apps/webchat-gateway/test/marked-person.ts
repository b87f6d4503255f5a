import { storedRows } from '@cxp/testing';
import { caller, service } from './webchat-service';

/** In every field that can hold what somebody has written or is called. */
export const MARKER = 'Quynh-7431';
export const PERSON = {
  id: `user ${MARKER}`,
  name: `name ${MARKER}`,
  email: `${MARKER}@example.com`,
  phone: `+84 90 ${MARKER}`,
};

/** Where the marker is: in any table of PostgreSQL, in any key of Redis. Tests leave data in other organizations. */
export async function everything(): Promise<string> {
  const { dataSource, redis } = service;
  const parts = await storedRows(dataSource, 'webchat');
  const read: Record<string, (key: string) => Promise<unknown>> = {
    hash: (key) => redis.hgetall(key),
    string: (key) => redis.get(key),
    zset: (key) => redis.zrange(key, '0', '-1'),
  };
  for (const key of await redis.keys('webchat:*')) {
    const value = await read[await redis.type(key)]!(key);
    parts.push(`${key} ${JSON.stringify(value)}`);
  }
  const isOfOther = (part: string) => /org-/.test(part) && !part.includes(caller.organizationId);
  return parts.filter((part) => /quynh-?7431/i.test(part) && !isOfOther(part)).join('\n');
}
