import type request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { ChatClient, type ConnectOptions } from './chat-client';
import { createSession, postJson, type User } from './webchat-service';

/** A session of a new conversation, as A1 answers it. */
export interface OpenedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly sessionToken: string;
  readonly sessionTokenExpiration: number;
  readonly websocketUrl: string;
  readonly conversationId: string;
}

export async function openSession(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  user?: User,
): Promise<OpenedSession> {
  return (await createSession(service, caller, user).expect(201)).body;
}

/** What the platform posts to a conversation: `messages`, `activities`, `typing`, `read`. */
export function postToConversation(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  conversationId: string,
  what: string,
  body: unknown,
): request.Test {
  return postJson(service, `/internal/conversations/${conversationId}/${what}`, caller.headers, body);
}

export function agentMessage(id: string, text = 'Hello') {
  return { id, senderType: 'agent', senderName: 'Ann', text };
}

/** The session's `websocketUrl` where the service under test listens: its port differs, its path must not. */
export function socketUrl({ url }: Pick<TestService, 'url'>, { websocketUrl }: OpenedSession): string {
  return url.replace('http', 'ws') + new URL(websocketUrl).pathname;
}

/** A client whose socket is authenticated. */
export async function connect(
  service: Pick<TestService, 'url'>,
  session: OpenedSession,
  options: ConnectOptions = {},
): Promise<ChatClient> {
  const client = await ChatClient.open(socketUrl(service, session), {
    sessionToken: session.sessionToken,
    ...options,
  });
  await client.next('session.ready');
  return client;
}

/** Events of each kind: 1 message, 2 activity, 3 read, 4 activity, 5 rating.requested, 6 rating. */
export async function oneOfEach(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  session: OpenedSession,
): Promise<void> {
  const post = (what: string, body: object) =>
    postToConversation(service, caller, session.conversationId, what, body);
  const agent = { accountId: 7, email: 'ann@example.com', name: 'Ann' };
  const client = await connect(service, session);
  client.sendMessage('c-1');
  await client.untilEvent(1);
  await post('activities', { id: 'a-1', action: 'assign', agent, occurredAt: '2026-01-05T12:00:00Z' });
  await post('read', { upTo: 1 });
  await post('activities', { id: 'a-2', action: 'route_to_rating', agent });
  await client.untilEvent(5);
  client.send({ type: 'rating.submit', clientId: 'r-1', rating: 5, resolution: null, feedback: null });
  await client.untilEvent(6);
  await client.close();
}
