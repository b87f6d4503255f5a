import { randomUUID } from 'node:crypto';
import type { HttpRequest } from '@cxp/services/http';
import { webchat, contactCenter } from '@cxp/services/service-under-test';
import { postJson, record } from '@cxp/services/workloads';
import { eventually } from '@cxp/service-kit/testing';
import { summary, throughput } from '../measure';
import type { Caller, Target } from '../target';
import { ChatSockets, type BenchSession } from './chat-sockets';
import { calls, CONNECTIONS, memory, SECONDS, SOCKETS, suite, type Row } from './row';

interface Data {
  readonly caller: Caller;
  /** Live sessions, whose users create and refresh them again. */
  readonly live: BenchSession[];
}

const LIVE_SESSIONS = 1_000;
const KNOWN_USERS = 10_000;
/** Messages under way while the most that a server can do is measured. */
const CONCURRENCY = 64;
const MESSAGES_PER_SECOND = 1_000;

let turn = 0;
const newUser = () => randomUUID();

export const sessions = suite<Data>({
  name: 'webchat-gateway',
  services: [webchat],
  bareEntry: 'bare/webchat.ts',
  prepare: async (target) => {
    const caller = await newCaller(target);
    for (let first = 0; first < KNOWN_USERS; first += LIVE_SESSIONS)
      await openSessions(target, caller, LIVE_SESSIONS, (n) => `known-${first + n}`);
    return { caller, live: await openSessions(target, caller, LIVE_SESSIONS, (n) => `live-${n}`) };
  },
  rows: [
    besideBare('A1, a new user', 201, 0.8, ({ caller }) => createSession(caller, randomUUID())),
    besideBare('A1, a live session', 201, 0.75, ({ caller, live }) =>
      createSession(caller, live[turn++ % live.length]!.userId),
    ),
    besideBare('A2', 200, 0.75, ({ caller, live }) => refresh(caller, live[turn++ % live.length]!)),
  ],
});

export const sockets = suite<Data>({
  name: `webchat-gateway, ${SOCKETS.toLocaleString('en')} sockets`,
  services: [webchat],
  env: { WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000' },
  bareEntry: 'bare/webchat.ts',
  prepare: async (target) => {
    const caller = await newCaller(target);
    return { caller, live: await openSessions(target, caller, 2 * SOCKETS, newUser) };
  },
  rows: [
    {
      name: `messages, ${CONCURRENCY} under way`,
      unit: '/s',
      aim: { of: 'bare', least: 0.9 },
      bare: 'handler',
      measure: async (target, data) => {
        const opened = await openSockets(target, data);
        const { messagesPerSecond, p99Ms } = await opened.saturate(CONCURRENCY, SECONDS);
        return { value: messagesPerSecond, p99: p99Ms };
      },
    },
    {
      name: `a message comes back, ${MESSAGES_PER_SECOND.toLocaleString('en')} a second, p99`,
      unit: 'ms',
      aim: { of: 'bare', most: 2 },
      bare: 'handler',
      measure: async (target, data) => {
        const opened = await openSockets(target, data);
        const figures = summary(await opened.pace(MESSAGES_PER_SECOND, SECONDS));
        return { ...figures, value: figures.p99! };
      },
    },
    memory(webchat, 'resident memory with the sockets', 120),
  ],
});

export const delivery = suite<Caller>({
  name: 'webchat-gateway to contact-center-export',
  services: [webchat, contactCenter],
  prepare: newCaller,
  rows: [
    {
      name: 'an activity to its row in B2, p50',
      unit: 'ms',
      aim: { of: 'figure', most: 300 },
      measure: async (target, caller) => summary(await deliveryTimes(target, caller)),
    },
  ],
});

/** From the answer of an activity to the answer of B2 that has its row. */
async function deliveryTimes(target: Target, caller: Caller): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < 40; n++) {
    const [{ conversationId }] = (await openSessions(target, caller, 1, newUser)) as [BenchSession];
    const body = { id: randomUUID(), action: 'assign', agent: { accountId: 1, email: 'a@example.com' } };
    await target.call(
      webchat,
      postJson(`/internal/conversations/${conversationId}/activities`, caller, body),
    );
    const start = performance.now();
    const url = `${target.process(contactCenter).url}/external/conversation-sessions/${conversationId}`;
    await eventually(async () => (await fetch(url, { headers: caller.headers })).ok);
    times.push(performance.now() - start);
  }
  return times;
}

function besideBare(
  name: string,
  expectedStatus: number,
  least: number,
  next: (data: Data) => HttpRequest,
): Row<Data> {
  return calls(webchat, name, next, { expectedStatus, aim: { of: 'bare', least }, bare: 'handler' });
}

/**
 * The sockets of a target stay open over all rows. The bare server has conversations of its own: the service would read what
 * another process stores without its counters again and again.
 */
async function openSockets(target: Target, { caller, live }: Data): Promise<ChatSockets> {
  const known = target.caches.get('sockets') as ChatSockets | undefined;
  if (known) return known;
  const url = target.process(webchat).url.replace('http', 'ws');
  const query = `&organization=${caller.organizationId}`;
  const opened = await ChatSockets.open(randomUUID(), url, live.splice(0, SOCKETS), query);
  target.caches.set('sockets', opened);
  return opened;
}

async function newCaller(target: Target): Promise<Caller> {
  const caller = await target.newCaller();
  await target.store(webchat, caller, [record('installed_source', { id: 1, name: 'Website' })]);
  return caller;
}

async function openSessions(
  target: Target,
  caller: Caller,
  count: number,
  userId: (n: number) => string,
): Promise<BenchSession[]> {
  const opened: BenchSession[] = [];
  await throughput(count, CONNECTIONS, async (n) => {
    const answer = await target.call(webchat, createSession(caller, userId(n)));
    opened.push(answer.body as BenchSession);
  });
  return opened;
}

function createSession(caller: Caller, userId: string): HttpRequest {
  const { organizationId } = caller;
  return postJson('/external/sessions', caller, {
    organizationId,
    installedSourceId: 1,
    user: { id: userId },
  });
}

function refresh(caller: Caller, { sessionId }: BenchSession): HttpRequest {
  return postJson('/external/sessions/refresh', caller, { sessionId });
}
