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
