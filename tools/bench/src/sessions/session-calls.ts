import type { BenchStack, RequestHeaders } from '../bench-stack';
import type { Load } from '../load';
import type { BenchSession } from '../realtime/chat-sockets';

export type SessionCall = ReturnType<Load['nextRequest']>;

export function createSession(organizationId: string, userId?: string): SessionCall {
  const body = { organizationId, installedSourceId: 1, user: { id: userId } };
  return { method: 'POST', path: '/external/sessions', body: JSON.stringify(body) };
}

export function refreshSession(sessionId: string): SessionCall {
  return { method: 'POST', path: '/external/sessions/refresh', body: JSON.stringify({ sessionId }) };
}

/** An organization with a token and the installed source 1. @returns the headers of its calls */
export async function addWebchatOrganization(
  stack: BenchStack,
  organizationId: string,
): Promise<RequestHeaders> {
  const headers = await stack.addOrganization(organizationId);
  await stack.dataSource.query(
    `INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`,
    [organizationId],
  );
  return { ...headers, 'content-type': 'application/json' };
}

/** Stores conversations of the users `known-<from>` to `known-<to>`. */
export async function addConversations(
  { dataSource }: BenchStack,
  organizationId: string,
  from: number,
  to: number,
): Promise<void> {
  await dataSource.query(
    `INSERT INTO webchat.conversation (organization_id, user_id)
     SELECT $1, 'known-' || n FROM generate_series($2::int, $3::int) AS n`,
    [organizationId, from, to],
  );
  await dataSource.query('ANALYZE');
}

/** Creates sessions of new users. */
export async function openSessions(
  url: string,
  organizationId: string,
  headers: RequestHeaders,
  count: number,
): Promise<BenchSession[]> {
  const sessions: BenchSession[] = [];
  const openOne = async () => {
    const { path, ...request } = createSession(organizationId);
    const response = await fetch(url + path, { ...request, headers });
    sessions.push((await response.json()) as BenchSession);
  };
  while (sessions.length < count) {
    await Promise.all(Array.from({ length: Math.min(32, count - sessions.length) }, openOne));
  }
  return sessions;
}
