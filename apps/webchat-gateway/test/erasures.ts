import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { eventually } from '@cxp/service-kit/testing';
import { agentMessage, connect, openSession, postToConversation } from './conversation-service';
import { MARKER, PERSON } from './marked-person';
import { caller, postJson, service, type User } from './webchat-service';

export const AGENT = { accountId: 7, name: `Agent ${MARKER}`, email: `agent-${MARKER}@example.com` };

export const erase = (body: object) =>
  postJson(service, '/external/erasures', caller.headers, {
    id: randomUUID(),
    subject: { userIds: [PERSON.id] },
    ...body,
  });

export async function certificateOf(id: unknown): Promise<Record<string, unknown>> {
  return (
    await request(service.url)
      .get(`/external/erasures/${String(id)}`)
      .set(caller.headers)
      .expect(200)
  ).body;
}

/** The certificate of an erasure, once it is done. */
export async function certificateWhenDone(id: unknown): Promise<Record<string, unknown>> {
  await eventually(async () => (await certificateOf(id)).erasedAt !== null);
  return certificateOf(id);
}

export const erased = async (body: object) => certificateWhenDone((await erase(body).expect(200)).body.id);

/** A chat with everything that a chat can have. */
export async function fullChat(user: User = PERSON) {
  const session = await openSession(service, caller, user);
  const { conversationId } = session;
  const client = await connect(service, session);
  client.sendMessage(`client ${MARKER}`, `text ${MARKER}`);
  await client.next('message.accepted');
  const post = (what: string, body: object) =>
    postToConversation(service, caller, conversationId, what, body).expect(200);
  await post('messages', { ...agentMessage(randomUUID(), `answer ${MARKER}`), senderName: AGENT.name });
  await post('activities', { id: randomUUID(), action: 'assign', agent: AGENT });
  await post('activities', { id: randomUUID(), action: 'route_to_rating', agent: AGENT });
  client.send({ type: 'rating.submit', clientId: `rating ${MARKER}`, rating: 2, feedback: `bad ${MARKER}` });
  await client.next('rating.accepted');
  return { ...session, client };
}
