import { ChatService } from '../src/conversations/chat.service';
import { agentMessage, openSession, postToConversation, type OpenedSession } from './conversation-service';
import { caller, service, useWebchat, whileLocked } from './webchat-service';

const CONVERSATIONS = 40;

let sessions: OpenedSession[];

useWebchat();
beforeEach(async () => {
  sessions = await Promise.all(
    Array.from({ length: CONVERSATIONS }, (_, i) => openSession(service, caller, { id: `u-${i}` })),
  );
});

const post = ({ conversationId }: OpenedSession, id: string) =>
  postToConversation(service, caller, conversationId, 'messages', agentMessage(id));

function rows<Row>(sql: string): Promise<Row[]> {
  return service.dataSource.query(sql, [caller.organizationId]);
}

it('messages that were stored before are answered as they were, and are stored together with new ones', async () => {
  await Promise.all(sessions.slice(0, 10).map((session, i) => post(session, `m-${i}`).expect(200)));
  const chats = service.app.get(ChatService);
  const message = { clientId: null, senderType: 'agent', senderName: null } as const;
  const answers = await Promise.all(
    sessions.map(({ conversationId }, i) =>
      chats.sendMessage(caller.organizationId, conversationId, {
        ...message,
        id: `m-${i}`,
        text: `Again ${i}`,
      }),
    ),
  );
  expect(answers.map(({ event, text }) => [event, text])).toEqual(
    sessions.map((_, i) => [1, i < 10 ? 'Hello' : `Again ${i}`]),
  );
  const stored = await rows<{ transaction: string }>(
    `SELECT xmin::text AS transaction FROM webchat.event WHERE organization_id = $1 AND payload ->> 'text' LIKE 'Again %'`,
  );
  expect(stored).toHaveLength(CONVERSATIONS - 10);
  expect(new Set(stored.map(({ transaction }) => transaction)).size).toBe(1);
});

it('a message that was stored before, or has no conversation, fails none of the others', async () => {
  await post(sessions[0]!, 'known').expect(200);
  const unknown = { ...sessions[0]!, conversationId: '00000000-0000-4000-8000-000000000000' };
  const [known, missing, ...others] = await Promise.all([
    post(sessions[0]!, 'known'),
    post(unknown, 'lost'),
    ...sessions.slice(1).map((session, i) => post(session, `m-${i}`)),
  ]);
  expect([known.status, known.body.event, missing.status]).toEqual([200, 1, 404]);
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
});

it('a conversation whose row is locked holds up no message of another one, and is stored when it is free', async () => {
  const [locked, ...free] = sessions as [OpenedSession, ...OpenedSession[]];
  const sql = 'SELECT FROM webchat.conversation WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE';
  const ids = [caller.organizationId, locked.conversationId];
  let waiting: Promise<{ status: number }>;
  await whileLocked(service, sql, ids, async () => {
    waiting = post(locked, 'locked').then((answer) => answer);
    const others = await Promise.all(free.map((session, i) => post(session, `free-${i}`)));
    expect(others.map(({ status }) => status)).toEqual(free.map(() => 200));
    expect(await rows(`SELECT FROM webchat.event WHERE organization_id = $1 AND id = 'locked'`)).toEqual([]);
  });
  expect((await waiting!).status).toBe(200);
});
