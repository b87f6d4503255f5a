import { setTimeout as sleep } from 'node:timers/promises';
import { ApiTokenRepository, signAccountSession } from '@cxp/auth-headers';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import {
  ACCOUNT_SESSION_SECRET,
  EVER,
  listSessions,
  startContactCenter,
  UNAUTHORIZED,
} from './contact-center-service';

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
  const service = await startContactCenter();
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
  await service.stop();
}, 30_000);
