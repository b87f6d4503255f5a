import { randomUUID } from 'node:crypto';
import { webchat } from '@cxp/services/service-under-test';
import { withStack, type BenchStack, type RequestHeaders } from '../bench-stack';
import { compareLoads } from '../in-turn';
import type { Load } from '../load';
import { peakResidentMegabytes } from '../peak-memory';
import { reportProgress } from '../progress';
import {
  addConversations,
  addWebchatOrganization,
  createSession,
  openSessions,
  refreshSession,
} from './session-calls';

const SECONDS = Number(process.env.SECONDS ?? 4);
const CONNECTIONS = 32;
const ORGANIZATION = 'bench';
const KNOWN_USERS = Number(process.env.ROWS ?? 600_000);
const LIVE_SESSIONS = 1_000;

/** A1 and A2 beside the bare handler, in turn, each in a process of its own over the same databases. About four minutes. */
export function benchSessions(): Promise<void> {
  return withStack([webchat], 2, compareSessions);
}

async function compareSessions(stack: BenchStack): Promise<void> {
  reportProgress(`store ${KNOWN_USERS} conversations`);
  const headers = await addWebchatOrganization(stack, ORGANIZATION);
  await addConversations(stack, ORGANIZATION, 1, KNOWN_USERS);
  const { service, bare } = await stack.startBoth(webchat, 'sessions/bare-server.ts');
  const live = await openSessions(service.url, ORGANIZATION, headers, LIVE_SESSIONS);
  await compareLoads(scenarios(live, headers), service, bare);
  console.log(`peak resident memory: ${peakResidentMegabytes(service).toFixed(0)} MB`);
}

function scenarios(
  live: readonly { readonly userId: string; readonly sessionId: string }[],
  headers: RequestHeaders,
): Record<string, Omit<Load, 'url'>> {
  let known = 0;
  let turn = 0;
  const nextLive = () => live[turn++ % live.length]!;
  const base = { headers, connections: CONNECTIONS, seconds: SECONDS, expectedStatus: 201 };
  const create = (userId: string) => createSession(ORGANIZATION, userId);
  return {
    'create, new user': { ...base, nextRequest: () => create(randomUUID()) },
    'create, known user': { ...base, nextRequest: () => create(`known-${++known}`) },
    'create, reuse': { ...base, nextRequest: () => create(nextLive().userId) },
    refresh: { ...base, expectedStatus: 200, nextRequest: () => refreshSession(nextLive().sessionId) },
  };
}
