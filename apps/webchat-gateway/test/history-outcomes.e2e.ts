import request from 'supertest';
import type { Message } from '../src/chat-protocol/shapes';
import { agentMessage, openSession, postToConversation, type OpenedSession } from './conversation-service';
import { caller, refreshSession, service, type User, useWebchat } from './webchat-service';

const LIFETIME_SECONDS = 3_600;

useWebchat();

async function historyOf({ conversationId, sessionToken }: OpenedSession): Promise<string[]> {
  const { body } = await request(service.url)
    .get(`/external/conversations/${conversationId}/events`)
    .set('authorization', `Bearer ${sessionToken}`)
    .expect(200);
  return body.items.map(({ message }: { message: Message }) => message.text);
}

/** Lets all sessions of the organization come to their end, as Redis does at their expiry. */
async function letSessionsExpire(): Promise<void> {
  const keys = await service.redis.keys(`webchat:{${caller.organizationId}}:*`);
  for (const key of keys) {
    const seconds = await service.redis.ttl(key);
    expect(seconds).toBeLessThanOrEqual(LIFETIME_SECONDS);
    await service.redis.pexpire(key, 1);
  }
  for (const key of keys) while (await service.redis.exists(key)) await service.redis.ping();
}

const A1 = (user?: User) => () => openSession(service, caller, user);
/** Without a session that can be refreshed, there is only a new one. */
const A2 = async (first: OpenedSession) => {
  const { status, body } = await refreshSession(service, caller, first.sessionId);
  return status === 200 ? { ...first, ...body } : openSession(service, caller);
};

/** The contract's table "History outcome by caller behaviour": the calls of the first visit and of a later one. */
describe.each<
  [
    sends: string,
    withinAnHour: 'kept' | 'lost',
    afterAnHour: 'kept' | 'lost',
    first: () => Promise<OpenedSession>,
    later: (first: OpenedSession) => Promise<OpenedSession>,
  ]
>([
  ['the same own user.id every call', 'kept', 'kept', A1({ id: 'customer-1' }), A1({ id: 'customer-1' })],
  [
    'the generated userId as user.id every call',
    'kept',
    'kept',
    A1(),
    ({ userId }) => openSession(service, caller, { id: userId }),
  ],
  ['only sessionId, refreshed periodically', 'kept', 'lost', A1(), A2],
  [
    'only email or phone, no user.id',
    'kept',
    'lost',
    A1({ email: 'hoa@example.com' }),
    A1({ email: 'HOA@example.com' }),
  ],
  ['nothing, a fresh create each visit', 'lost', 'lost', A1(), A1()],
])('the history of a caller who sends %s', (_, withinAnHour, afterAnHour, first, later) => {
  it.each([
    ['a reload within 1 hour', withinAnHour, async () => undefined],
    ['1 hour', afterAnHour, letSessionsExpire],
  ])('after %s is %s', async (__, outcome, pass) => {
    const visit = await first();
    await postToConversation(
      service,
      caller,
      visit.conversationId,
      'messages',
      agentMessage('m', 'Xin chào'),
    );
    await pass();
    expect(await historyOf(await later(visit))).toEqual(outcome === 'kept' ? ['Xin chào'] : []);
  });
});
