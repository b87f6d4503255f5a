import type { Caller, TestService } from '@cxp/service-kit/testing';
import {
  createSession,
  refreshSession,
  startWebchat,
  storedOf,
  webchatCaller,
  type User,
} from './webchat-service';

const WHOLE: User = { id: 'u', phone: '1', email: 'a@b.c' };

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startWebchat();
});
beforeEach(async () => {
  caller = await webchatCaller(service);
});
afterAll(() => service.stop());

async function create(user?: User) {
  return (await createSession(service, caller, user).expect(201)).body;
}

describe('when Redis is emptied', () => {
  it('the next create with the same user.id finds the conversation', async () => {
    const created = await create(WHOLE);
    await service.redis.flushdb();
    const again = await create({ id: 'u' });
    expect(again).toMatchObject({ userId: 'u', conversationId: created.conversationId });
    expect(again.sessionId).not.toBe(created.sessionId);
  });

  it('its sessions are not found by a refresh, and its scripts are loaded anew', async () => {
    const { sessionId } = await create(WHOLE);
    await service.redis.flushdb();
    await service.redis.script('FLUSH');
    await refreshSession(service, caller, sessionId).expect(404);
    await create(WHOLE);
  });
});

describe('when a session was claimed but never attached to a conversation', () => {
  it.each<[string, User | undefined, User]>([
    ['user.id', { id: 'u' }, { id: 'u' }],
    ['phone', { phone: '1' }, { phone: '1' }],
    ['email', { email: 'e' }, { email: 'e' }],
  ])('the next create by %s attaches it', async (_, first, second) => {
    const created = await create(first);
    const key = `webchat:{${caller.organizationId}}:session:${created.sessionId}`;
    await service.redis.hdel(key, 'conversationId');
    await service.dataSource.query('DELETE FROM webchat.conversation WHERE id = $1', [
      created.conversationId,
    ]);

    await refreshSession(service, caller, created.sessionId).expect(404);
    const again = await create(second);
    expect(again).toMatchObject({ sessionId: created.sessionId, userId: created.userId });
    expect((await storedOf(service, caller)).conversations).toEqual([
      { id: again.conversationId, user_id: created.userId },
    ]);
  });
});
