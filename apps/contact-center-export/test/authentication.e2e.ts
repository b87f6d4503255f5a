import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { ApiTokenRepository, signAccountSession, signServiceToken } from '@cxp/auth-headers';
import type { TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import {
  ACCOUNT_SESSION_SECRET,
  EVER,
  getConversation,
  importRecords,
  listSessions,
  startContactCenter,
  UNAUTHORIZED,
} from './contact-center-service';

const KEY = { id: 'current', secret: 'x'.repeat(32) };
const INVALID = { detail: 'Invalid or missing token' };

let service: TestService;
beforeAll(async () => {
  service = await startContactCenter({ SERVICE_TOKEN_KEYS: `${KEY.id}:${KEY.secret}` });
});
afterAll(() => service.stop());

async function callerOf(organizationId: string, by: object = {}) {
  const token = await signServiceToken([{ ...KEY, ...by }], { organizationId, service: 'webchat-gateway' });
  const headers = {
    authorization: `Bearer ${token}`,
    'organization-id': organizationId,
    'auth-type': 'token',
  };
  return { organizationId, headers };
}

const conversation = [record.conversation({ id: 'c' })];

it('a service imports records of the organization that its token names', async () => {
  const { organizationId } = await service.caller();
  const caller = await callerOf(organizationId);
  await importRecords(service, caller as never, conversation).expect(200, { accepted: 1 });
});

it('its token reaches nothing else, and no other organization', async () => {
  const [own, other] = [await service.caller(), await service.caller()];
  const caller = await callerOf(own.organizationId);
  const elsewhere = { headers: { ...caller.headers, 'organization-id': other.organizationId } };
  await importRecords(service, elsewhere as never, conversation).expect(401, INVALID);
  await getConversation(service, caller, 'c').expect(401, UNAUTHORIZED);
  await request(service.url).post('/external/erasures').set(caller.headers).send({}).expect(401);
  const asAccount = { headers: { ...caller.headers, 'auth-type': 'account' } };
  await importRecords(service, asAccount as never, conversation).expect(401, INVALID);
});

it('a token of another key is refused, and every token where there are no keys', async () => {
  const { organizationId } = await service.caller();
  const forged = await callerOf(organizationId, { secret: 'y'.repeat(32) });
  await importRecords(service, forged as never, conversation).expect(401, INVALID);
  const without = await startContactCenter();
  const caller = await callerOf((await without.caller()).organizationId);
  await importRecords(without, caller as never, conversation).expect(401, INVALID);
  await without.stop();
});

// Callers that are denied: tools/system-tests/test/access-matrix.e2e.ts.
it('a service without a key for account sessions answers every one of them 401', async () => {
  const keyless = await startContactCenter({ ACCOUNT_SESSION_SECRET: '' });
  const { headers, organizationId } = await keyless.caller();
  const claims = { accountId: '42', organizationId, permissions: { $export_conversation_session: ['list'] } };
  const session = await signAccountSession(claims, ACCOUNT_SESSION_SECRET, 60);
  const asAccount = { headers: { ...headers, authorization: `Bearer ${session}`, 'auth-type': 'account' } };
  const { status, body } = await listSessions(keyless, asAccount, EVER);
  await keyless.stop();
  expect([status, body]).toEqual([401, UNAUTHORIZED]);
});

it('a stream is cut off when its token is revoked, and not before', async () => {
  const row = { fields: {}, cursor: 'c', conversationUpdatedAt: '' } as never;
  jest.spyOn(service.app.get(ConversationSessionService), 'stream').mockImplementation(async () =>
    (async function* () {
      for (; ; await sleep(10)) yield [row];
    })(),
  );
  const { organizationId } = await service.caller();
  const [valid, revoked] = [
    await service.caller({ organizationId }),
    await service.caller({ organizationId }),
  ];
  const open = async ({ headers }: typeof valid) => {
    const url = `${service.url}/external/conversation-sessions?${new URLSearchParams(EVER)}`;
    const { body } = await fetch(url, { headers: { ...headers, accept: 'application/x-ndjson' } });
    return body!.getReader();
  };
  const [goesOn, cut] = [await open(valid), await open(revoked)];
  await new ApiTokenRepository(service.dataSource.manager).revoke(revoked.tokenId);
  const readAll = async () => {
    while (!(await cut.read()).done);
  };
  await expect(readAll()).rejects.toThrow('terminated');
  expect((await goesOn.read()).done).toBe(false);
  await goesOn.cancel();
}, 30_000);
