import { randomUUID } from 'node:crypto';
import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import type { EventPage } from '../src/conversations/history.read-model';
import { agentMessage, openSession, postToConversation } from './conversation-service';
import { startWebchat, webchatCaller } from './webchat-service';

const NOT_FOUND = { detail: { message: 'not_found', params: { model: 'Conversation' } } };

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

const post = (body: unknown, what = 'messages') =>
  postToConversation(service, caller, conversationId, what, body);

const listed = async () =>
  (
    await request(service.url)
      .get(`/internal/conversations/${conversationId}/events`)
      .set(caller.headers)
      .expect(200)
  ).body as EventPage;

const messages = async () =>
  (await listed()).items.flatMap((item) =>
    item.type === 'message' ? [{ event: item.event, ...item.message }] : [],
  );

describe('POST /internal/conversations/{id}/messages', () => {
  it('answers the message as it is stored', async () => {
    const { body } = await post({ id: 'm-1', senderType: 'bot', text: 'Chào bạn 👋' }).expect(200);
    expect(body).toEqual({
      id: 'm-1',
      event: 1,
      senderType: 'bot',
      senderName: null,
      text: 'Chào bạn 👋',
      sentAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      clientId: null,
    });
    expect(await messages()).toEqual([body]);
  });

  it('stores a message once, however often and concurrently it is sent, and answers it as first stored', async () => {
    const answers = await Promise.all(
      ['a', 'b', 'c', 'd'].map((text) => post({ ...agentMessage('m-1'), text }).expect(200)),
    );
    const again = await post(agentMessage('m-1', 'e')).expect(200);
    const [{ body: first }] = answers as [request.Response];
    for (const { body } of [...answers, again]) expect(body).toEqual(first);

    await post(agentMessage('m-2')).expect(200);
    expect((await messages()).map(({ id, event }) => [id, event])).toEqual([
      ['m-1', 1],
      ['m-2', 2],
    ]);
  });

  it('is 422 for an id of a message of another conversation', async () => {
    const other = await openSession(service, caller, { id: 'other' });
    await postToConversation(service, caller, other.conversationId, 'messages', agentMessage('m-1')).expect(
      200,
    );
    const { body } = await post(agentMessage('m-1')).expect(422);
    expect(body.detail).toEqual([
      { loc: ['body', 'id'], msg: 'id belongs to a message of another conversation', type: 'value_error' },
    ]);
    expect((await post(agentMessage('m-2')).expect(200)).body.event).toBe(1);
  });

  it('takes the same id in another organization', async () => {
    await post(agentMessage('m-1')).expect(200);
    const other = await webchatCaller(service);
    const session = await openSession(service, other, { id: 'u' });
    await postToConversation(service, other, session.conversationId, 'messages', agentMessage('m-1')).expect(
      200,
    );
  });

  it.each<[string, object]>([
    ['no id', { id: undefined }],
    ['an empty id', { id: '' }],
    ['an id of 256 characters', { id: 'x'.repeat(256) }],
    ['no sender type', { senderType: undefined }],
    ['the customer as the sender', { senderType: 'customer' }],
    ['no text', { text: undefined }],
    ['a blank text', { text: ' \n' }],
    ['a text of 4001 characters', { text: '😀'.repeat(4_001) }],
    ['a text with NUL', { text: 'a\0b' }],
    ['half a character', { text: '\ud83d' }],
    ['a number for a name', { senderName: 7 }],
  ])('is 422 with %s', async (_, change) => {
    await post({ ...agentMessage('m-1'), ...change }).expect(422);
    expect((await listed()).items).toEqual([]);
  });

  it('takes a text of 4000 characters', async () => {
    await post(agentMessage('m-1', '😀'.repeat(4_000))).expect(200);
  });
});

describe('POST /internal/conversations/{id}/read', () => {
  it('moves the mark of the agents forward, never back and never past the last event, and what does not move takes no number', async () => {
    const marks = async () => {
      const { read, lastEvent } = await listed();
      return { ...read, lastEvent };
    };
    for (let i = 1; i <= 3; i++) await post(agentMessage(`m-${i}`)).expect(200);
    await post({ upTo: 2 }, 'read').expect(204);
    expect(await marks()).toEqual({ agent: 2, customer: 0, lastEvent: 4 });
    await post({ upTo: 1 }, 'read').expect(204);
    expect(await marks()).toEqual({ agent: 2, customer: 0, lastEvent: 4 });
    for (let i = 0; i < 3; i++) await post({ upTo: 9 }, 'read').expect(204);
    expect(await marks()).toEqual({ agent: 3, customer: 0, lastEvent: 5 });
  });

  it.each([{}, { upTo: -1 }, { upTo: 1.5 }, { upTo: '1' }, { sequence: 1 }])(
    'is 422 with %j',
    async (body) => {
      await post(body, 'read').expect(422);
    },
  );
});

describe.each(['messages', 'activities'])('POST /internal/conversations/{id}/%s', (what) => {
  const body = { ...agentMessage('x-1'), action: 'assign' };

  it('is 404 for a conversation that does not exist, is of another organization, or can not be', async () => {
    const other = await webchatCaller(service);
    await postToConversation(service, caller, randomUUID(), what, body).expect(404, NOT_FOUND);
    await postToConversation(service, other, conversationId, what, body).expect(404, NOT_FOUND);
    await postToConversation(service, caller, 'c-1', what, body).expect(404, NOT_FOUND);
  });
});
