import { connect, openSession, type OpenedSession } from './conversation-service';
import { caller, refreshSession, service, type User, useWebchat } from './webchat-service';

const LIFETIME_SECONDS = 3_600;

useWebchat();

/** What the customer says on the first visit, and what is there on a later one. */
async function say(session: OpenedSession, text: string): Promise<void> {
  const client = await connect(service, session);
  client.sendMessage('c-1', text);
  await client.next('message.accepted');
  await client.close();
}

async function historyOf(session: OpenedSession): Promise<string[]> {
  const client = await connect(service, session, { lastEvent: 0 });
  const { lastEvent } = client.received('session.ready')[0]!;
  const messages = await client.nextMessages(lastEvent);
  await client.close();
  return messages.map(({ text }) => text);
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

/** What the caller sends on the first visit, and on a later one. */
type Visits = readonly [first: User | undefined, later: (first: OpenedSession) => User | undefined];

/** The contract's table "History outcome by caller behaviour". */
describe.each<{ sends: string; visits: Visits; withinAnHour: 'kept' | 'lost'; afterAnHour: 'kept' | 'lost' }>(
  [
    {
      sends: 'the same own user.id every call',
      visits: [{ id: 'customer-1' }, () => ({ id: 'customer-1' })],
      withinAnHour: 'kept',
      afterAnHour: 'kept',
    },
    {
      sends: 'the generated userId as user.id every call',
      visits: [undefined, ({ userId }) => ({ id: userId })],
      withinAnHour: 'kept',
      afterAnHour: 'kept',
    },
    {
      sends: 'only email or phone, no user.id',
      visits: [{ email: 'hoa@example.com' }, () => ({ email: 'HOA@example.com' })],
      withinAnHour: 'kept',
      afterAnHour: 'lost',
    },
    {
      sends: 'nothing, a fresh create each visit',
      visits: [undefined, () => undefined],
      withinAnHour: 'lost',
      afterAnHour: 'lost',
    },
  ],
)('the history of a caller who sends $sends', ({ visits: [first, later], withinAnHour, afterAnHour }) => {
  const expected = (outcome: 'kept' | 'lost') => (outcome === 'kept' ? ['Xin chào'] : []);
  let visit: OpenedSession;
  beforeEach(async () => {
    visit = await openSession(service, caller, first);
    await say(visit, 'Xin chào');
  });

  it(`is ${withinAnHour} after a reload within 1 hour`, async () => {
    const reload = await openSession(service, caller, later(visit));
    expect(await historyOf(reload)).toEqual(expected(withinAnHour));
  });

  it(`is ${afterAnHour} after 1 hour`, async () => {
    await letSessionsExpire();
    const reload = await openSession(service, caller, later(visit));
    expect(await historyOf(reload)).toEqual(expected(afterAnHour));
  });
});

describe('the history of a caller who sends only sessionId, refreshed periodically', () => {
  let visit: OpenedSession;
  beforeEach(async () => {
    visit = await openSession(service, caller);
    await say(visit, 'Xin chào');
  });

  it('is kept after a reload within 1 hour, through refresh', async () => {
    const { body } = await refreshSession(service, caller, visit.sessionId).expect(200);
    expect(await historyOf({ ...visit, ...body })).toEqual(['Xin chào']);
  });

  it('is lost after 1 hour', async () => {
    await letSessionsExpire();
    await refreshSession(service, caller, visit.sessionId).expect(404);
    expect(await historyOf(await openSession(service, caller))).toEqual([]);
  });
});
