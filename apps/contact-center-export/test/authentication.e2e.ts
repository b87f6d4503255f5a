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

async function accountHeaders({ organizationId, headers }: Caller = caller): Promise<Record<string, string>> {
  const claims = { accountId: '42', organizationId, permissions: PERMITTED };
  const jwt = await signAccountSession(claims, ACCOUNT_SESSION_SECRET, 60);
  return { ...headers, authorization: `Bearer ${jwt}`, 'auth-type': 'account' };
}

// Callers that are denied: tools/security/test/access-matrix.e2e.ts.
describe.each<[string, (headers: Record<string, string>) => request.Test]>([
  ['B1: GET /external/conversation-sessions', (headers) => listSessions(service, { headers }, EVER)],
  ['B2: GET /external/conversation-sessions/{id}', (headers) => getConversation(service, { headers }, 'c')],
])('%s', (_, send) => {
  it('needs $export_conversation_session:list only', async () => {
    const { organizationId } = caller;
    const allowed = await service.caller({
      organizationId,
      permissions: ['$export_conversation_session:list'],
    });
    await send(allowed.headers).expect(200);
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

  it('takes an account session with the permission', async () => {
    await send(await accountHeaders()).expect(200);
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
    const headers = await accountHeaders(await keyless.caller());
    const { status, body } = await listSessions(keyless, { headers }, EVER);
    await keyless.stop();
    expect([status, body]).toEqual([401, UNAUTHORIZED]);
  });
});
