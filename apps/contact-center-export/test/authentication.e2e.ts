import request from 'supertest';
import { ApiTokenRepository, signAccountSession, type Permissions } from '@cxp/access';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import {
  ACCOUNT_SESSION_SECRET,
  EVER,
  getConversation,
  importRecords,
  listSessions,
  startContactCenter,
  UNAUTHORIZED,
} from './contact-center-service';

const PERMITTED: Permissions = { $export_conversation_session: ['list'] };

let service: TestService;
let caller: Caller;
let other: Caller;

beforeAll(async () => {
  service = await startContactCenter();
  [caller, other] = [await service.caller(), await service.caller()];
  for (const each of [caller, other]) {
    await importRecords(service, each, [record.conversation({ id: 'c' })]).expect(200);
  }
});
afterAll(() => service.stop());

async function accountHeaders(
  session: { organizationId?: string; permissions?: Permissions } = {},
  secret = ACCOUNT_SESSION_SECRET,
  lifetimeSeconds = 60,
): Promise<Record<string, string>> {
  const claims = {
    accountId: '42',
    organizationId: caller.organizationId,
    permissions: PERMITTED,
    ...session,
  };
  const jwt = await signAccountSession(claims, secret, lifetimeSeconds);
  return { ...caller.headers, authorization: `Bearer ${jwt}`, 'auth-type': 'account' };
}

describe.each<[string, (headers: Record<string, string>) => request.Test]>([
  ['B1: GET /external/conversation-sessions', (headers) => listSessions(service, { headers }, EVER)],
  ['B2: GET /external/conversation-sessions/{id}', (headers) => getConversation(service, { headers }, 'c')],
])('%s', (_, send) => {
  it.each<[string, () => Record<string, string | undefined>]>([
    ['authorization is missing', () => ({ authorization: undefined })],
    ['authorization is blank', () => ({ authorization: ' ' })],
    ['authorization has another scheme', () => ({ authorization: `Basic ${caller.token}` })],
    ['authorization has no token', () => ({ authorization: 'Bearer' })],
    ['the token is no API token', () => ({ authorization: 'Bearer secret' })],
    ['the token is mistyped', () => ({ authorization: `Bearer ${caller.token.slice(0, -1)}~` })],
    ['the token is of another organization', () => ({ authorization: other.headers.authorization })],
    ['organization-id is missing', () => ({ 'organization-id': undefined })],
    ['organization-id is blank', () => ({ 'organization-id': ' ' })],
    ['organization-id is of another organization', () => ({ 'organization-id': other.organizationId })],
    ['auth-type is missing', () => ({ 'auth-type': undefined })],
    ['auth-type is unknown', () => ({ 'auth-type': 'basic' })],
    ['an API token comes as auth-type account', () => ({ 'auth-type': 'account' })],
  ])('is 401 with exactly detail.message Unauthorized when %s', async (_case, change) => {
    const headers = Object.entries({ ...caller.headers, ...change() });
    const sent = headers.filter((header): header is [string, string] => header[1] !== undefined);
    const { body } = await send(Object.fromEntries(sent)).expect(401);
    expect(body).toEqual(UNAUTHORIZED);
  });

  it('takes a token with $export_conversation_session:list and nothing else; lacking it is a 401 too', async () => {
    const { organizationId } = caller;
    const allowed = await service.caller({
      organizationId,
      permissions: ['$export_conversation_session:list'],
    });
    const denied = await service.caller({ organizationId, permissions: ['$platform_record:import'] });
    await send(allowed.headers).expect(200);
    expect((await send(denied.headers).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it('is 401 with an expired token', async () => {
    const { headers } = await service.caller({ organizationId: caller.organizationId, lifetimeSeconds: 0 });
    expect((await send(headers).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it('is 401 within 5 seconds of the revocation of a token that was in use', async () => {
    const revoked = await service.caller({ organizationId: caller.organizationId });
    await send(revoked.headers).expect(200);
    await new ApiTokenRepository(service.dataSource.manager).revoke(revoked.tokenId);
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 5_000);
    const { body } = await send(revoked.headers).expect(401);
    clock.mockRestore();
    expect(body).toEqual(UNAUTHORIZED);
  });

  it('takes an account session with the permission, as auth-type account only', async () => {
    const headers = await accountHeaders();
    await send(headers).expect(200);
    expect((await send({ ...headers, 'auth-type': 'token' }).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it.each<[string, () => Promise<Record<string, string>>]>([
    ['lacks the permission', () => accountHeaders({ permissions: { $survey_link: ['create'] } })],
    [
      'has the resource without the action',
      () => accountHeaders({ permissions: { $export_conversation_session: [] } }),
    ],
    ['is of another organization', () => accountHeaders({ organizationId: other.organizationId })],
    ['is signed with another secret', () => accountHeaders({}, 'x'.repeat(32))],
    ['has expired', () => accountHeaders({}, ACCOUNT_SESSION_SECRET, -1)],
  ])('is 401 when an account session %s', async (_case, headers) => {
    expect((await send(await headers()).expect(401)).body).toEqual(UNAUTHORIZED);
  });

  it('says nothing of the parameters to who may not call: 401 comes before 403, 422 and 404', async () => {
    const { body } = await send({ ...caller.headers, authorization: 'Bearer secret' })
      .query({ organizationId: other.organizationId, timezone: 'Mars/Base', page: 'x' })
      .expect(401);
    expect(body).toEqual(UNAUTHORIZED);
  });
});

describe('a service without a key for account sessions', () => {
  it('answers every one of them 401', async () => {
    const keyless = await startContactCenter({ ACCOUNT_SESSION_SECRET: '' });
    const { organizationId } = await keyless.caller();
    const headers = { ...(await accountHeaders({ organizationId })), 'organization-id': organizationId };
    const { status, body } = await listSessions(keyless, { headers }, EVER);
    await keyless.stop();
    expect([status, body]).toEqual([401, UNAUTHORIZED]);
  });
});
