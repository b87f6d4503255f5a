import { randomUUID } from 'node:crypto';
import { type Figures, grow } from '../charts/grow';
import { recordGrowth } from '../charts/record-growth';
import { runLoad } from '../load';
import { planSteps, reportProgress } from '../progress';
import { ChatSockets } from '../realtime/chat-sockets';
import { createSession, openSessions, refreshSession, type SessionCall } from './session-calls';
import { PREPARING_STEPS, WebchatUnderTest } from './webchat-under-test';

const SECONDS = 3;
const CONVERSATIONS = [10_000, 100_000, 1_000_000];
const ORGANIZATIONS = [1, 10, 100, 1_000];
const CLIENTS = [1, 4, 16, 64, 256];
const SOCKETS = [10, 100, 1_000, 5_000];
/** Unless clients are what grows. */
const CONNECTIONS = 32;
/** Messages under way. */
const MESSAGES = 64;

interface Organization {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly sessionId: string;
}

/** Cost as work grows: conversations, organizations, concurrent clients, sockets. Draws the chart of area A. About three minutes. */
export async function benchWebchatGrowth(): Promise<void> {
  planSteps(
    PREPARING_STEPS +
      1 +
      [CONVERSATIONS, ORGANIZATIONS, CLIENTS, SOCKETS].reduce((sum, { length }) => sum + length, 0),
  );
  const webchat = await WebchatUnderTest.prepare();
  const { url } = await webchat.startGateway();
  reportProgress(`add ${Math.max(...ORGANIZATIONS)} organizations`);
  const organizations: Organization[] = [];
  while (organizations.length < Math.max(...ORGANIZATIONS)) {
    const id = `bench-${organizations.length}`;
    const headers = await webchat.addOrganization(id);
    const [session] = await openSessions(url, id, headers, 1);
    organizations.push({ id, headers, sessionId: session!.sessionId });
  }
  const [first] = organizations as [Organization];

  const clients = await grow('concurrent clients', CLIENTS, (size) => measureCalls(url, [first], size));
  const many = await grow('organizations', ORGANIZATIONS, (size) =>
    measureCalls(url, organizations.slice(0, size), CONNECTIONS),
  );
  const sockets = await grow('sockets', SOCKETS, async (size) => ({
    message: await measureMessages(url, first, size),
  }));
  let stored = 0;
  const conversations = await grow('stored conversations', CONVERSATIONS, async (size) => {
    await webchat.addConversations(first.id, stored + 1, size);
    stored = size;
    return measureCalls(url, [first], CONNECTIONS);
  });
  recordGrowth('webchat', [conversations, many, sockets, clients]);
  await webchat.stop();
}

async function measureCalls(
  url: string,
  organizations: readonly Organization[],
  connections: number,
): Promise<Record<string, Figures>> {
  let turn = 0;
  const next = () => organizations[turn++ % organizations.length]!;
  const load = (expectedStatus: number, call: (organization: Organization) => SessionCall) =>
    runLoad({
      url,
      connections,
      expectedStatus,
      seconds: SECONDS,
      headers: {},
      nextRequest: () => {
        const organization = next();
        return { ...call(organization), headers: organization.headers };
      },
    });
  return {
    'create, new user': await load(201, ({ id }) => createSession(id, randomUUID())),
    refresh: await load(200, ({ sessionId }) => refreshSession(sessionId)),
  };
}

async function measureMessages(url: string, { id, headers }: Organization, count: number): Promise<Figures> {
  const sessions = await openSessions(url, id, headers, count);
  const sockets = await ChatSockets.open(`growth-${count}`, url.replace('http', 'ws'), sessions);
  const { messagesPerSecond, p99Ms } = await sockets.saturate(MESSAGES, SECONDS);
  sockets.close();
  return { requestsPerSecond: messagesPerSecond, p99Ms };
}
