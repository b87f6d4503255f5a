import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { EventPage } from '../src/conversations/history.read-model';
import {
  agentMessage,
  openSession,
  post,
  postToConversation,
  session,
  upTo,
  useSession,
} from './conversation-service';
import { caller, service, webchatCaller, whileLocked } from './webchat-service';

const NOT_FOUND = { detail: { message: 'not_found', params: { model: 'Conversation' } } };
const NOON = '2026-01-05T12:00:00.000Z';

useSession();

const listed = async () =>
  (
    await request(service.url)
      .get(`/internal/conversations/${session.conversationId}/events`)
      .set(caller.headers)
      .expect(200)
  ).body as EventPage;

describe('POST /internal/conversations/{id}/messages', () => {
  it('answers the message as it is stored', async () => {
    const { body } = await post('messages', { id: 'm-1', senderType: 'bot', text: 'Chào bạn 👋' }).expect(
      200,
    );
    expect(body).toEqual({
      id: 'm-1',
      event: 1,
      senderType: 'bot',
      senderName: null,
      text: 'Chào bạn 👋',
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      clientId: null,
    });
    const { event, ...message } = body;
    expect((await listed()).items).toMatchObject([{ event, message }]);
  });

  it.each<[string, object]>([
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
    ['an id of 256 characters', { id: 'x'.repeat(256) }],
    ['no sender type', { senderType: undefined }],
    ['the customer as the sender', { senderType: 'customer' }],
    ['no text', { text: undefined }],
    ['a blank text', { text: ' \n' }],
    ['a text that nobody can see', { text: '\u200b' }],
    ['a text of 4001 characters', { text: '😀'.repeat(4_001) }],
    ['a text with NUL', { text: 'a\0b' }],
    ['half a character', { text: '\ud83d' }],
    ['a number for a name', { senderName: 7 }],
  ])('is 422 with %s', async (_, change) => {
    await post('messages', { ...agentMessage('m-1'), ...change }).expect(422);
    expect((await listed()).items).toEqual([]);
  });

  it('takes a text of 4000 characters', async () => {
    await post('messages', agentMessage('m-1', '😀'.repeat(4_000))).expect(200);
  });
});

describe('POST /internal/conversations/{id}/read', () => {
  it.each([{}, { upTo: -1 }, { upTo: 1.5 }, { upTo: '1' }, { sequence: 1 }])(
    'is 422 with %j',
    async (body) => {
      await post('read', body).expect(422);
    },
  );

  it('that does not move waits for no lock: it writes nothing', async () => {
    await post('messages', agentMessage('m-1')).expect(200);
    await post('read', { upTo: 1 }).expect(204);
    const lock = 'SELECT FROM webchat.conversation WHERE organization_id = $1 FOR UPDATE';
    await whileLocked(service, lock, [caller.organizationId], async () => {
      for (const upTo of [0, 1, 99]) await post('read', { upTo }).expect(204);
    });
    expect((await listed()).items.map(({ event }: { event: number }) => event)).toEqual([1, 2]);
  });
});

async function conversation(): Promise<{ closed_at: Date | null; updated_at: Date }> {
  const [row] = await service.dataSource.query(
    'SELECT closed_at, updated_at FROM webchat.conversation WHERE organization_id = $1 AND id = $2',
    [caller.organizationId, session.conversationId],
  );
  return row;
}

describe('POST /internal/conversations/{id}/activities', () => {
  it('answers the activity as it is stored', async () => {
    const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann', isServiceAccount: false };
    const activity = { id: 'a-1', action: 'assign', occurredAt: '2026-01-05T19:00:00+07:00', agent };
    expect((await post('activities', activity).expect(200)).body).toEqual({ ...activity, occurredAt: NOON });
  });

  it('shows milliseconds of its time, cut off', async () => {
    const activity = { id: 'a-1', action: 'end_conversation', occurredAt: '9999-12-31T23:59:59.9999999Z' };
    const { body } = await post('activities', activity).expect(200);
    expect(body.occurredAt).toBe('9999-12-31T23:59:59.999Z');
  });

  it('happens when it is stored, unless it says when', async () => {
    const { body } = await post('activities', { id: 'a-1', action: 'assign' }).expect(200);
    expect(body).toEqual({
      id: 'a-1',
      action: 'assign',
      occurredAt: (await conversation()).updated_at.toISOString(),
      agent: null,
    });
  });

  it.each<[string, object]>([
    ['no id', { id: undefined }],
    ['no action', { action: undefined }],
    ['a time without an offset', { occurredAt: '2026-01-05T12:00:00' }],
    ['a day that is not in the calendar', { occurredAt: '2026-02-30T12:00:00Z' }],
    ['an agent that is no object', { agent: 'Ann' }],
    ['an account id that is no integer', { agent: { accountId: '7' } }],
  ])('is 422 with %s', async (_, change) => {
    await post('activities', { id: 'a-1', action: 'assign', ...change }).expect(422);
  });
});

describe('a conversation', () => {
  it('is closed at its last change by an activity without a time', async () => {
    await post('activities', { id: 'a-1', action: 'end_conversation' }).expect(200);
    const { closed_at, updated_at } = await conversation();
    expect(closed_at).toEqual(updated_at);
  });

  it('is later with every change, by a millisecond at least', async () => {
    const times = [(await conversation()).updated_at.getTime()];
    for (const change of [
      () => post('activities', { id: 'a-1', action: 'assign' }),
      () => post('messages', agentMessage('m-1')),
      () => post('activities', { id: 'a-2', action: 'assign' }),
    ]) {
      await change().expect(200);
      times.push((await conversation()).updated_at.getTime());
    }
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  it('is not changed by what was stored before, or by read marks', async () => {
    await post('messages', agentMessage('m-1')).expect(200);
    await post('activities', { id: 'a-1', action: 'assign' }).expect(200);
    const before = await conversation();
    await post('messages', agentMessage('m-1')).expect(200);
    await post('activities', { id: 'a-1', action: 'assign' }).expect(200);
    await post('read', { upTo: 1 }).expect(204);
    expect(await conversation()).toEqual(before);
  });
});

describe.each([
  ['messages', 'a message'],
  ['activities', 'an activity'],
])('POST /internal/conversations/{id}/%s', (what, named) => {
  const body = { ...agentMessage('x-1'), action: 'assign' };
  const postTo = (conversationId: string, by = caller) =>
    postToConversation(service, by, conversationId, what, body);

  it('stores it once, however often and concurrently it is sent, and answers it as first stored', async () => {
    const { conversationId } = session;
    const send = (i: number) =>
      postToConversation(service, caller, conversationId, what, { ...body, text: `${i}`, action: `a-${i}` });
    const answers = await Promise.all(upTo(4).map((i) => send(i).expect(200)));
    const again = await send(5).expect(200);
    for (const answer of [...answers, again]) expect(answer.body).toEqual(answers[0]!.body);
    await post(what, { ...body, id: 'x-2' }).expect(200);
    expect((await listed()).items.map(({ event }) => event)).toEqual([1, 2]);
  });

  it('is 404 for a conversation that does not exist, is of another organization, or can not be', async () => {
    await postTo(randomUUID()).expect(404, NOT_FOUND);
    await postTo(session.conversationId, await webchatCaller(service)).expect(404, NOT_FOUND);
    await postTo('c-1').expect(404, NOT_FOUND);
  });

  it('is 422 for an id of another conversation, unless it is of another organization', async () => {
    const foreign = await webchatCaller(service);
    await postTo((await openSession(service, foreign, { id: 'u' })).conversationId, foreign).expect(200);
    await postTo((await openSession(service, caller, { id: 'other' })).conversationId).expect(200);
    const { detail } = (await postTo(session.conversationId).expect(422)).body;
    const msg = `id belongs to ${named} of another conversation`;
    expect(detail).toEqual([{ loc: ['body', 'id'], msg, type: 'value_error' }]);
    expect((await listed()).items).toEqual([]);
  });
});
