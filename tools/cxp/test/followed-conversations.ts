import type { Pool } from 'pg';
import type { ConversationSession, CxpClient } from '@cxp/client';
import type { Caller, TestService } from '@cxp/service-kit/testing';

/** The copy holds exactly the rows that the export lists, field by field. */
export async function expectCopyOfExport(client: CxpClient, pool: Pool, count?: number): Promise<void> {
  const listed: ConversationSession[] = [];
  const window = { startDate: '2000-01-01', endDate: '2099-12-31' };
  for await (const row of client.conversationSessions.list(window)) listed.push(row);
  const { rows } = await pool.query<{ row: ConversationSession }>('SELECT "row" FROM conversation_session');
  const byKey = (all: ConversationSession[]) =>
    new Map(all.map((row) => [JSON.stringify([row.conversationId, row.sessionIndex, row.ticketId]), row]));
  expect(rows).toHaveLength(listed.length);
  expect(byKey(rows.map(({ row }) => row))).toEqual(byKey(listed));
  if (count !== undefined) expect(rows).toHaveLength(count);
}

export const SCHEDULE = {
  type: 'human_schedule',
  data: { weekly: [{ weekday: 1, start: '08:30', end: '17:30' }], exceptions: [] },
};

export function at(minute: number): string {
  return new Date(Date.parse('2026-01-05T02:00:00.000Z') + minute * 60_000).toISOString();
}

/** The records of a conversation with one session and one ticket. */
export function conversation(n: number, minute = 30): object[] {
  const conversationId = `c-${n}`;
  const agent = { accountId: 42, email: 'mai@example.com', name: 'Mai' };
  return [
    {
      type: 'conversation',
      data: {
        id: conversationId,
        createdAt: at(0),
        updatedAt: at(minute),
        closedAt: null,
        customer: { name: `Customer ${n}` },
      },
    },
    { type: 'activity', data: { id: `a-${n}`, conversationId, action: 'assign', occurredAt: at(5), agent } },
    ticket(n, { updatedAt: at(minute) }),
  ];
}

export function ticket(n: number, changes: object): object {
  return {
    type: 'ticket',
    data: {
      ...{ id: n, conversationId: `c-${n}`, assigneeAccountId: 42, createdAt: at(6), updatedAt: at(6) },
      ...{ subject: 'Parcel', description: '', status: 'open', priority: 'normal', dueDate: null },
      ...{
        assignedAt: at(6),
        resolvedAt: null,
        installedSourceId: 1,
        installedSourceName: 'Web',
        channelType: 'chat',
      },
      ...{ customFields: {}, ...changes },
    },
  };
}

export async function load({ url }: TestService, { headers }: Caller, ...groups: object[][]): Promise<void> {
  const response = await fetch(`${url}/internal/records`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: groups
      .flat()
      .map((record) => JSON.stringify(record))
      .join('\n'),
  });
  if (!response.ok) throw new Error(await response.text());
}
