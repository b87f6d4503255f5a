import type { Caller, TestService } from '@cxp/service-kit/testing';
import { agentMessage, openSession, postToConversation } from './conversation-service';
import { startWebchat, webchatCaller } from './webchat-service';

const NOON = '2026-01-05T12:00:00.000Z';

let service: TestService;
let caller: Caller;
let conversationId: string;

beforeAll(async () => {
  service = await startWebchat();
});
beforeEach(async () => {
  caller = await webchatCaller(service);
  ({ conversationId } = await openSession(service, caller, { id: 'u' }));
});
afterAll(() => service.stop());

const post = (body: unknown, what = 'activities') =>
  postToConversation(service, caller, conversationId, what, body);

async function conversation(): Promise<{ closed_at: Date | null; updated_at: Date }> {
  const [row] = await service.dataSource.query(
    'SELECT closed_at, updated_at FROM webchat.conversation WHERE organization_id = $1 AND id = $2',
    [caller.organizationId, conversationId],
  );
  return row;
}

describe('POST /internal/conversations/{id}/activities', () => {
  it('answers the activity as it is stored', async () => {
    const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann', isServiceAccount: false };
    const activity = { id: 'a-1', action: 'assign', occurredAt: '2026-01-05T19:00:00+07:00', agent };
    expect((await post(activity).expect(200)).body).toEqual({ ...activity, occurredAt: NOON });
  });

  it('happens when it is stored, unless it says when', async () => {
    const { body } = await post({ id: 'a-1', action: 'assign' }).expect(200);
    expect(body).toEqual({
      id: 'a-1',
      action: 'assign',
      occurredAt: (await conversation()).updated_at.toISOString(),
      agent: null,
    });
  });

  it('is stored once, and answered as first stored', async () => {
    const [first, ...others] = await Promise.all(
      ['assign', 'timed_out', 'assign'].map((action) => post({ id: 'a-1', action }).expect(200)),
    );
    for (const { body } of others) expect(body).toEqual(first!.body);
  });

  it('is 422 for an id of an activity of another conversation', async () => {
    await post({ id: 'a-1', action: 'assign' }).expect(200);
    const other = await openSession(service, caller, { id: 'other' });
    await postToConversation(service, caller, other.conversationId, 'activities', {
      id: 'a-1',
      action: 'assign',
    }).expect(422);
  });

  it.each<[string, object]>([
    ['no id', { id: undefined }],
    ['no action', { action: undefined }],
    ['a time without an offset', { occurredAt: '2026-01-05T12:00:00' }],
    ['a day that is not in the calendar', { occurredAt: '2026-02-30T12:00:00Z' }],
    ['a time that PostgreSQL rounds to the year 10000', { occurredAt: '9999-12-31T23:59:59.9999999Z' }],
    ['an agent that is no object', { agent: 'Ann' }],
    ['an account id that is no integer', { agent: { accountId: '7' } }],
  ])('is 422 with %s', async (_, change) => {
    await post({ id: 'a-1', action: 'assign', ...change }).expect(422);
  });
});

describe('a conversation', () => {
  it.each(['end_conversation', 'timed_out'])(
    'is closed by %s at the time of the activity',
    async (action) => {
      await post({ id: 'a-1', action, occurredAt: NOON }).expect(200);
      expect((await conversation()).closed_at).toEqual(new Date(NOON));
    },
  );

  it('is closed at its last change by an activity without a time', async () => {
    await post({ id: 'a-1', action: 'end_conversation' }).expect(200);
    const { closed_at, updated_at } = await conversation();
    expect(closed_at).toEqual(updated_at);
  });

  it.each<[string, boolean]>([
    ['assign', false],
    ['human_take_over', false],
    ['route_to_human', false],
    ['route_to_ai', false],
    ['route_to_rating', true],
    ['tag_added', true],
  ])('that is closed: %s leaves it closed: %s', async (action, staysClosed) => {
    await post({ id: 'a-1', action: 'end_conversation', occurredAt: NOON }).expect(200);
    await post({ id: 'a-2', action }).expect(200);
    expect((await conversation()).closed_at).toEqual(staysClosed ? new Date(NOON) : null);
  });

  it('is later with every change, by a millisecond at least', async () => {
    const times = [(await conversation()).updated_at.getTime()];
    for (const change of [
      () => post({ id: 'a-1', action: 'assign' }),
      () => post(agentMessage('m-1'), 'messages'),
      () => post({ id: 'a-2', action: 'assign' }),
    ]) {
      await change().expect(200);
      times.push((await conversation()).updated_at.getTime());
    }
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  it('is not changed by what was stored before, or by read marks', async () => {
    await post(agentMessage('m-1'), 'messages').expect(200);
    await post({ id: 'a-1', action: 'assign' }).expect(200);
    const before = await conversation();
    await post(agentMessage('m-1'), 'messages').expect(200);
    await post({ id: 'a-1', action: 'assign' }).expect(200);
    await post({ upTo: 1 }, 'read').expect(204);
    expect(await conversation()).toEqual(before);
  });
});
