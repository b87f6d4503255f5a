import { randomUUID } from 'node:crypto';
import { webchat } from '@cxp/services/service-under-test';
import { BenchStack, buildServices, type RequestHeaders } from '../bench-stack';
import { ChatSockets } from '../realtime/chat-sockets';
import {
  addConversations,
  addWebchatOrganization,
  createSession,
  openSessions,
  refreshSession,
} from '../sessions/session-calls';
import { measureRequests, sizesOf, type Figures, type Growth } from './growth';

const SECONDS = 3;
const ORGANIZATIONS = sizesOf('ORGANIZATIONS', [1, 10, 100, 1_000]);
/** Unless clients are what grows. */
const CONNECTIONS = 32;
/** Messages under way. */
const MESSAGES = 64;

interface Organization {
  readonly id: string;
  readonly headers: RequestHeaders;
  readonly sessionId: string;
}

/** Area A: conversations, organizations, concurrent clients, sockets. About three minutes. */
export async function webchatGrowth(): Promise<Growth> {
  await buildServices([webchat]);
  const stack = await BenchStack.start();
  const { url } = await stack.startService(webchat, { WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000' });
  const organizations: Organization[] = [];
  while (organizations.length < Math.max(...ORGANIZATIONS)) {
    const id = `bench-${organizations.length}`;
    const headers = await addWebchatOrganization(stack, id);
    const [session] = await openSessions(url, id, headers, 1);
    organizations.push({ id, headers, sessionId: session!.sessionId });
  }
  const [first] = organizations as [Organization];
  let stored = 0;
  return {
    dimensions: [
      {
        name: 'concurrent clients',
        sizes: sizesOf('CLIENTS', [1, 4, 16, 64, 256]),
        measure: (size) => measureCalls(url, [first], size),
      },
      {
        name: 'organizations',
        sizes: ORGANIZATIONS,
        measure: (size) => measureCalls(url, organizations.slice(0, size), CONNECTIONS),
      },
      {
        name: 'sockets',
        sizes: sizesOf('SOCKETS', [10, 100, 1_000, 5_000]),
        measure: async (size) => ({ message: await measureMessages(url, first, size) }),
      },
      {
        name: 'stored conversations',
        sizes: sizesOf('SIZES', [10_000, 100_000, 1_000_000]),
        measure: async (size) => {
          await addConversations(stack, first.id, stored + 1, size);
          stored = size;
          return measureCalls(url, [first], CONNECTIONS);
        },
      },
    ],
    stop: () => stack.stop(),
  };
}

async function measureCalls(
  url: string,
  organizations: readonly Organization[],
  connections: number,
): Promise<Record<string, Figures>> {
  let turn = 0;
  const next = () => organizations[turn++ % organizations.length]!;
  const load = { url, connections, seconds: SECONDS, headers: {} };
  const create = () => {
    const { id, headers } = next();
    return { ...createSession(id, randomUUID()), headers };
  };
  const refresh = () => {
    const { sessionId, headers } = next();
    return { ...refreshSession(sessionId), headers };
  };
  return {
    ...(await measureRequests({ ...load, expectedStatus: 201 }, { 'create, new user': create })),
    ...(await measureRequests({ ...load, expectedStatus: 200 }, { refresh })),
  };
}

async function measureMessages(url: string, { id, headers }: Organization, count: number): Promise<Figures> {
  const sessions = await openSessions(url, id, headers, count);
  const sockets = await ChatSockets.open(`growth-${count}`, url.replace('http', 'ws'), sessions);
  const { messagesPerSecond, p99Ms } = await sockets.saturate(MESSAGES, SECONDS);
  sockets.close();
  return { requestsPerSecond: messagesPerSecond, p99Ms };
}
