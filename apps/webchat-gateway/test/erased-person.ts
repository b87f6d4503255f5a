import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { postJson } from './webchat-service';

/** In every field that can hold what somebody has written or is called. */
export const MARKER = 'Quynh-7431';
export const PERSON = {
  id: `user ${MARKER}`,
  name: `name ${MARKER}`,
  email: `${MARKER}@example.com`,
  phone: `+84 90 ${MARKER}`,
};
export function erasePerson(service: TestService, caller: Caller, body: object): request.Test {
  return postJson(service, '/external/erasures', caller.headers, {
    id: randomUUID(),
    subject: { userIds: [PERSON.id] },
    mode: 'delete',
    ...body,
  });
}

/** The certificate of an erasure that is done. */
export async function erasedPerson(
  service: TestService,
  caller: Caller,
  body: object,
): Promise<Record<string, unknown>> {
  const { body: certificate } = await erasePerson(service, caller, body).expect(200);
  await eventually(async () => (await certificateOf(service, caller, certificate.id)).erasedAt !== null);
  return certificateOf(service, caller, certificate.id);
}

export async function certificateOf(
  service: TestService,
  caller: Caller,
  id: string,
): Promise<Record<string, unknown>> {
  return (await request(service.url).get(`/external/erasures/${id}`).set(caller.headers).expect(200)).body;
}

/** Where the marker is: in any table of PostgreSQL, in any key of Redis. Tests leave data in other organizations. */
export async function everythingWithMarker(service: TestService, caller: Caller): Promise<string> {
  const tables = await service.dataSource.query(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'webchat'`,
  );
  const parts: string[] = [];
  for (const { name } of tables as { name: string }[]) {
    const found = await service.dataSource.query(`SELECT t::text AS row FROM webchat."${name}" AS t`);
    parts.push(...(found as { row: string }[]).map(({ row }) => `${name} ${row}`));
  }
  const { redis } = service;
  for (const key of await redis.keys('webchat:*')) {
    const type = await redis.type(key);
    const value =
      type === 'hash'
        ? await redis.hgetall(key)
        : type === 'zset'
          ? await redis.zrange(key, 0, -1)
          : await redis.get(key);
    parts.push(`${key} ${JSON.stringify(value)}`);
  }
  const isOfOther = (part: string) => /org-/.test(part) && !part.includes(caller.organizationId);
  return parts.filter((part) => /quynh-?7431/i.test(part) && !isOfOther(part)).join('\n');
}
