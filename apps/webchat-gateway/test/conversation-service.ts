import { randomUUID } from 'node:crypto';
import type request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { ChatSocketHandler } from '../src/sockets/chat-socket.handler';
import { ChatClient, type ConnectOptions } from './chat-client';
import { clientFrame, RawSocket, upgradeRequest } from './raw-socket';
import {
  caller,
  createSession,
  postJson,
  service,
  startBeside,
  startProcess,
  type User,
  useWebchat,
} from './webchat-service';

/** A session of a new conversation, as A1 answers it. */
export interface OpenedSession {
  readonly userId: string;
  readonly sessionId: string;
  readonly sessionToken: string;
  readonly sessionTokenExpiration: number;
  readonly websocketUrl: string;
  readonly conversationId: string;
}

/** The session of a test, and others over the stores of the service: see `useSession`, `useTwoProcesses` and `useProcess`. */
export let session: OpenedSession;
export let elsewhere: TestService;
export let server: ServiceProcess;
let clients: ChatClient[] = [];

/** `useWebchat` with a session for each test, after which the clients of `open` are closed. */
export function useSession(environment?: () => Record<string, string>): void {
  useWebchat(environment);
  beforeEach(async () => {
    session = await openSession(service, caller, { id: 'u' });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(clients.map((client) => client.close()));
    clients = [];
  });
}

export function useTwoProcesses(environment: () => Record<string, string> = () => ({})): void {
  // Before the service, whose stores it uses.
  afterAll(() => elsewhere.stop());
  useSession(environment);
  beforeAll(async () => {
    elsewhere = await startBeside(service, environment());
  });
}

/** `useSession` with a real process over the stores of the service, which may be attacked or killed. It needs a build. */
export function useProcess(environment: NodeJS.ProcessEnv = {}): void {
  // Before the service, whose stores it uses.
  afterAll(() => server.stop());
  useSession();
  beforeAll(async () => {
    server = await startProcess(service, environment);
  });
}

/** A client of the test's session. */
export async function open(
  options?: ConnectOptions,
  at: Pick<TestService, 'url'> = service,
): Promise<ChatClient> {
  const client = await connect(at, session, options);
  clients.push(client);
  return client;
}

/** What the platform posts to the conversation of the test's session. */
export function post(what: string, body: unknown, at: Pick<TestService, 'url'> = service): request.Test {
  return postToConversation(at, caller, session.conversationId, what, body);
}

/** The whole numbers from the first to the last. */
export function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
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

/** Stores messages of an agent, as long as they may be, as those that are there already. */
export async function storeMessages(
  { dataSource }: Pick<TestService, 'dataSource'>,
  { organizationId }: Caller,
  conversationId: string,
  count: number,
): Promise<void> {
  await dataSource.query(
    `WITH moved AS (UPDATE webchat.conversation SET last_readable = $3, last_event = $3 WHERE id = $2)
     INSERT INTO webchat.event (organization_id, conversation_id, event, type, id, stored_at, payload)
     SELECT $1, $2, n, 'message', 'x-' || n, now(),
       json_build_object('senderType', 'agent', 'senderName', NULL::text, 'text', repeat('😀', 4000), 'status', 'open', 'agent', NULL)
     FROM generate_series(1, $3::int) AS n`,
    [organizationId, conversationId, count],
  );
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

/** So many clients of one session. */
export async function connectMany(
  service: Pick<TestService, 'url'>,
  session: OpenedSession,
  count: number,
): Promise<ChatClient[]> {
  const clients: ChatClient[] = [];
  while (clients.length < count) clients.push(await connect(service, session));
  return clients;
}

/**
 * Sends a message together with the upgrade request: before the socket is ready or refused.
 * @param answer what the last frame of the server contains
 * @returns how many events the conversation has when all frames of the socket are acted on
 */
export async function sendWithUpgrade(
  { app, url, dataSource }: TestService,
  { websocketUrl, sessionToken, conversationId }: OpenedSession,
  answer: string,
): Promise<number> {
  const opened = jest.spyOn(app.get(ChatSocketHandler), 'onOpened');
  const raw = await RawSocket.open(url);
  const upgrade = upgradeRequest(new URL(websocketUrl).pathname, { authorization: `Bearer ${sessionToken}` });
  const message = { type: 'message.send', clientId: randomUUID(), text: 'Hello' };
  raw.write(Buffer.concat([Buffer.from(upgrade), clientFrame(JSON.stringify(message))]));
  await raw.until((text) => text.includes(answer));
  expect(raw.text).toContain(answer);
  await opened.mock.lastCall![0].settled();
  opened.mockRestore();
  raw.reset();
  const [{ count }] = await dataSource.query(
    'SELECT count(*)::int AS count FROM webchat.event WHERE conversation_id = $1',
    [conversationId],
  );
  return count;
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
