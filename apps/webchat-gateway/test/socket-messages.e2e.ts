import { ConversationRepository } from '../src/conversations/conversation.repository';
import { HistoryReadModel } from '../src/conversations/history.read-model';
import { liveChannel } from '../src/live/live-events';
import type { ChatClient } from './chat-client';
import {
  agentMessage,
  connect,
  elsewhere,
  open,
  openSession,
  post,
  postToConversation,
  session,
  useTwoProcesses,
} from './conversation-service';
import { caller, service } from './webchat-service';

useTwoProcesses();

function numbers(client: ChatClient): number[] {
  return client.received('message').map(({ event }) => event);
}

describe('a message of the customer', () => {
  it('is acknowledged when it is stored, and comes to every socket of the conversation, the own one too', async () => {
    const sockets = [await open(), await open(), await open({}, elsewhere)];
    sockets[0]!.sendMessage('c-1', 'Xin chào 👋');
    const { clientId, id, event, sentAt } = await sockets[0]!.next('message.accepted');
    expect({ clientId, event }).toEqual({ clientId: 'c-1', event: 1 });
    for (const client of sockets) {
      while (client.received('message').length === 0) await client.roundTrip();
      expect(client.received('message')).toEqual([
        {
          event: 1,
          type: 'message',
          status: 'open',
          message: {
            id,
            senderType: 'customer',
            senderName: null,
            text: 'Xin chào 👋',
            sentAt,
            clientId: 'c-1',
          },
        },
      ]);
    }
    expect(sockets.map((client) => client.received('message.accepted').length)).toEqual([1, 0, 0]);
  });

  it('that is sent again is stored once, and acknowledged as it was', async () => {
    const [first, second] = [await open(), await open({}, elsewhere)];
    for (const client of [first, second, first]) client.sendMessage('c-1');
    const accepted = [
      await first.next('message.accepted'),
      await first.next('message.accepted'),
      await second.next('message.accepted'),
    ];
    expect(new Set(accepted.map(({ id, event }) => `${id} ${event}`)).size).toBe(1);

    first.sendMessage('c-2');
    expect((await first.next('message.accepted')).event).toBe(2);
  });

  it('has the same client id in another conversation', async () => {
    (await open()).sendMessage('c-1');
    const client = await connect(service, await openSession(service, caller, { id: 'other' }));
    client.sendMessage('c-1');
    expect((await client.next('message.accepted')).event).toBe(1);
    await client.close();
  });

  // What makes a frame invalid: src/chat-protocol/client-frames.spec.ts.
  it.each<[string, object | string, clientId: string | null]>([
    ['no JSON', '{', null],
    ['a text of 4001 characters', { type: 'message.send', clientId: 'c', text: '😀'.repeat(4_001) }, 'c'],
  ])(
    'that is wrong gets an error with its client id, and the next one is read: %s',
    async (_, frame, clientId) => {
      const client = await open();
      client.send(frame);
      const error = { type: 'error', code: 'invalid_frame', message: expect.any(String), clientId };
      expect(await client.next('error')).toEqual(error);
      client.sendMessage('c');
      expect((await client.next('message.accepted')).event).toBe(1);
    },
  );

  it('to a conversation that is gone is an error', async () => {
    const client = await open();
    await service.dataSource.query('DELETE FROM webchat.conversation WHERE id = $1', [
      session.conversationId,
    ]);
    client.sendMessage('c-1');
    expect(await client.next('error')).toMatchObject({ code: 'conversation_not_found', clientId: 'c-1' });
  });
});

describe('what the platform posts comes to the sockets at once, on whatever process they are', () => {
  it('messages', async () => {
    const sockets = [await open(), await open({}, elsewhere)];
    const { body } = await post('messages', agentMessage('m-1')).expect(200);
    for (const client of sockets) {
      const { event, message } = await client.next('message');
      expect({ ...message, event }).toEqual(body);
    }
  });

  it('activities, with the name of the agent and nothing else of them', async () => {
    const client = await open({}, elsewhere);
    const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann' };
    const assigned = { id: 'a-1', action: 'assign', occurredAt: '2026-01-05T12:00:00Z', agent };
    await post('activities', assigned).expect(200);
    expect(await client.next('activity')).toEqual({
      event: 1,
      type: 'activity',
      id: 'a-1',
      action: 'assign',
      occurredAt: '2026-01-05T12:00:00.000Z',
      agentName: 'Ann',
      status: 'open',
      agent: { name: 'Ann' },
    });
  });

  it('that somebody types, also if the conversation id is sent in capitals', async () => {
    const client = await open({}, elsewhere);
    const id = session.conversationId.toUpperCase();
    const typing = { senderType: 'agent', senderName: 'Ann', active: true };
    await postToConversation(service, caller, id, 'typing', typing).expect(204);
    expect(await client.next('typing')).toEqual({ type: 'typing', ...typing });
  });

  it('that somebody types, but not before session.ready', async () => {
    const witness = await open();
    const conversations = service.app.get(ConversationRepository);
    const state = conversations.state.bind(conversations);
    const spy = jest.spyOn(conversations, 'state').mockImplementationOnce(async (...ids) => {
      await post('typing', { senderType: 'agent', active: true }).expect(204);
      await witness.next('typing');
      return state(...ids);
    });
    const client = await open();
    spy.mockRestore();
    await client.roundTrip();
    expect(client.frames).toMatchObject([{ type: 'session.ready' }]);
  });

  it('and not to those of another conversation', async () => {
    const client = await open();
    const { conversationId } = await openSession(service, caller, { id: 'other' });
    await postToConversation(service, caller, conversationId, 'messages', agentMessage('m-1')).expect(200);
    await post('messages', agentMessage('m-2')).expect(200);
    expect((await client.next('message')).message.id).toBe('m-2');
    expect(numbers(client)).toEqual([1]);
  });
});

describe('a customer', () => {
  it('who types shows it to the other sockets when it changes, or after three seconds', async () => {
    const [client, beside, other] = [await open(), await open(), await open({}, elsewhere)];
    const now = jest.spyOn(Date, 'now');
    const typeAt = async (ms: number, ...states: boolean[]) => {
      now.mockReturnValue(startedAt + ms);
      for (const active of states) client.send({ type: 'typing', active });
      await client.roundTrip();
    };
    const startedAt = Date.now();
    await typeAt(0, true, true, true);
    await typeAt(2_999, true, false, false, true);
    await typeAt(5_998, true);
    await typeAt(5_999, true);
    const shown = [true, false, true, true].map((active) => ({
      type: 'typing',
      senderType: 'customer',
      senderName: null,
      active,
    }));
    for (const each of [beside, other]) {
      for (const frame of shown) expect(await each.next('typing')).toEqual(frame);
    }
    await post('messages', agentMessage('m-1')).expect(200);
    for (const each of [client, beside, other]) await each.next('message');
    expect(client.received('typing')).toEqual([]);
    expect([beside, other].map((each) => each.received('typing'))).toEqual([shown, shown]);
  });
});

it('what only another release publishes is ignored', async () => {
  const client = await open();
  await service.redis.publish(liveChannel(caller.organizationId, session.conversationId), 'announced 7');
  await post('messages', agentMessage('m-1')).expect(200);
  expect((await client.next('message')).message.id).toBe('m-1');
  expect(numbers(client)).toEqual([1]);
});

it('a process listens only to the conversations of its sockets', async () => {
  const listeners = async () => {
    const channel = liveChannel(caller.organizationId, session.conversationId);
    return ((await service.redis.pubsub('NUMSUB', channel)) as [string, number])[1];
  };
  expect(await listeners()).toBe(0);
  const [first, second] = [await open(), await open()];
  expect(await listeners()).toBe(1);
  await open({}, elsewhere);
  expect(await listeners()).toBe(2);
  await first.close();
  await second.close();
  while ((await listeners()) !== 1) await service.redis.ping();
});

describe('a socket that is opened', () => {
  it('reads no events if its client has them all', async () => {
    const load = jest.spyOn(service.app.get(HistoryReadModel), 'eventsAfter');
    await post('messages', agentMessage('m-1')).expect(200);
    for (const options of [{}, { lastEvent: 1 }, { lastEvent: 9 }]) await (await open(options)).roundTrip();
    expect(load).not.toHaveBeenCalled();
    await (await open({ lastEvent: 0 })).next('message');
    expect(load).toHaveBeenCalled();
  });

  it('gets what is stored after its state was read', async () => {
    const conversations = service.app.get(ConversationRepository);
    const read = conversations.state.bind(conversations);
    jest.spyOn(conversations, 'state').mockImplementationOnce(async (...where) => {
      const state = await read(...where);
      await post('messages', agentMessage('m-1')).expect(200);
      return state;
    });
    const client = await open();
    expect(client.received('session.ready')).toMatchObject([{ lastEvent: 0 }]);
    expect((await client.next('message')).message.id).toBe('m-1');
  });
});
