import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiTokenRepository, signAccountSession, signServiceToken } from '@cxp/auth-headers';
import { record } from './builders/platform-records';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import {
  ACCOUNT_SESSION_SECRET,
  ContactCenter,
  UNAUTHORIZED,
  useContactCenter,
} from './contact-center-service';

const KEY = { id: 'current', secret: 'x'.repeat(32) };
const INVALID = { detail: 'Invalid or missing token' };

const area = useContactCenter({ SERVICE_TOKEN_KEYS: `${KEY.id}:${KEY.secret}` });

async function serviceOf(organizationId: string, by: object = {}) {
  const token = await signServiceToken([{ ...KEY, ...by }], { organizationId, service: 'webchat-gateway' });
  return {
    headers: {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': 'token',
    },
  };
}

const conversation = [record.conversation({ id: 'c' })];

it('a service imports records of the organization that its token names', async () => {
  const by = await serviceOf(area.caller.organizationId);
  await area.import(conversation, by).expect(200, { accepted: 1 });
});

it('its token reaches nothing else, and no other organization', async () => {
  const { headers } = await serviceOf(area.caller.organizationId);
  const { organizationId: other } = await area.service.caller();
  await area.import(conversation, { headers: { ...headers, 'organization-id': other } }).expect(401, INVALID);
  await area.get('c', {}, { headers }).expect(401, UNAUTHORIZED);
  await area.call('post', '/external/erasures', { headers }).send({}).expect(401);
  await area.import(conversation, { headers: { ...headers, 'auth-type': 'account' } }).expect(401, INVALID);
});

it('a token of another key is refused, and every token where there are no keys', async () => {
  const forged = await serviceOf(area.caller.organizationId, { secret: 'y'.repeat(32) });
  await area.import(conversation, forged).expect(401, INVALID);
  const without = new ContactCenter();
  await without.start();
  await without.import(conversation, await serviceOf(without.caller.organizationId)).expect(401, INVALID);
  await without.service.stop();
});

// Callers that are denied: tools/system-tests/test/access-matrix.e2e.ts.
it('a service without a key for account sessions answers every one of them 401', async () => {
  const keyless = new ContactCenter();
  await keyless.start({ ACCOUNT_SESSION_SECRET: '' });
  const { headers, organizationId } = keyless.caller;
  const claims = { accountId: '42', organizationId, permissions: { $export_conversation_session: ['list'] } };
  const session = await signAccountSession(claims, ACCOUNT_SESSION_SECRET, 60);
  const asAccount = { headers: { ...headers, authorization: `Bearer ${session}`, 'auth-type': 'account' } };
  const { status, body } = await keyless.list({}, asAccount);
  await keyless.service.stop();
  expect([status, body]).toEqual([401, UNAUTHORIZED]);
});

it('a stream is cut off when its token is revoked, and not before', async () => {
  const row = { fields: {}, cursor: 'c', conversationUpdatedAt: '' } as never;
  jest.spyOn(area.service.app.get(ConversationSessionService), 'stream').mockImplementation(async () =>
    (async function* () {
      for (; ; await sleep(10)) yield [row];
    })(),
  );
  const revoked = await area.service.caller({ organizationId: area.caller.organizationId });
  const [goesOn, cut] = [
    await area.open('application/x-ndjson'),
    await area.open('application/x-ndjson', revoked),
  ];
  await new ApiTokenRepository(area.service.dataSource.manager).revoke(revoked.tokenId);
  await expect(buffer(cut)).rejects.toThrow('aborted');
  await once(goesOn, 'data');
  goesOn.destroy();
}, 30_000);
