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

/** Creates sessions of new users. */
export async function openSessions(
  url: string,
  organizationId: string,
  headers: Readonly<Record<string, string>>,
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
