/** The year that the conversations of the benchmark fall into, evenly. */
export const YEAR = { startsAt: Date.UTC(2025, 0, 1), days: 365 };

const DAY_MS = 24 * 60 * 60 * 1000;
export const AGENTS = 50;
const ENDINGS = [
  'end_conversation',
  'route_to_rating',
  'route_to_ai',
  'end_conversation',
  'timed_out',
  'route_to_ai',
  'end_conversation',
];

/**
 * The records of so many conversations as NDJSON, in chunks, in order of time: three activities, three messages, a
 * ticket for four in eleven, a survey for every one that was sent to rating. Each makes one row of the export.
 */
export function* conversationRecords(count: number, of: number, first: number): Generator<string> {
  let lines: string[] = [];
  for (let number = first; number < Math.min(first + count, of); number++) {
    lines.push(...linesOf(number, of));
    if (lines.length < 500) continue;
    yield `${lines.join('\n')}\n`;
    lines = [];
  }
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

export function agentEmail(number: number): string {
  return `agent-${number}@example.com`;
}

export const SCHEDULE_RECORD = JSON.stringify({
  type: 'human_schedule',
  data: {
    weekly: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: '08:30', end: '17:30' })),
    exceptions: [{ date: '2025-01-01', intervals: [] }],
  },
});

function linesOf(number: number, of: number): string[] {
  const createdAt = YEAR.startsAt + Math.floor((number * YEAR.days * DAY_MS) / of);
  const at = (seconds: number) => new Date(createdAt + seconds * 1_000).toISOString();
  const id = `conversation-${number}`;
  const conversationId = id;
  const accountId = 1 + (number % AGENTS);
  const agent = { accountId, email: agentEmail(accountId), name: `Agent ${accountId}` };
  const ending = ENDINGS[number % ENDINGS.length]!;
  const line = (type: string, data: object) => JSON.stringify({ type, data });
  return [
    line('conversation', {
      id,
      createdAt: at(0),
      updatedAt: at(1_800),
      closedAt: at(1_790),
      customer: {
        filumId: `customer-${number}`,
        name: 'Nguyễn Thị Hoa',
        phone: '+84901234567',
        email: 'hoa@example.com',
      },
    }),
    line('activity', {
      id: `${id}-1`,
      conversationId,
      action: 'route_to_human',
      occurredAt: at(60),
      agent: null,
    }),
    line('activity', { id: `${id}-2`, conversationId, action: 'assign', occurredAt: at(100), agent }),
    line('activity', { id: `${id}-3`, conversationId, action: ending, occurredAt: at(1_700), agent }),
    line('message', { id: `${id}-1`, conversationId, senderType: 'customer', sentAt: at(10) }),
    line('message', { id: `${id}-2`, conversationId, senderType: 'agent', sentAt: at(150) }),
    line('message', { id: `${id}-3`, conversationId, senderType: 'agent', sentAt: at(900) }),
    ...(number % 11 < 4 ? [line('ticket', ticketOf(number, conversationId, accountId, at))] : []),
    ...(ending === 'route_to_rating'
      ? [
          line('conversation_survey', {
            id,
            conversationId,
            rating: 1 + (number % 5),
            feedback: 'Nhanh',
            submittedAt: at(1_750),
          }),
        ]
      : []),
  ];
}

function ticketOf(
  number: number,
  conversationId: string,
  accountId: number,
  at: (seconds: number) => string,
): object {
  return {
    id: number,
    conversationId,
    assigneeAccountId: accountId,
    createdAt: at(200),
    updatedAt: at(1_600),
    subject: 'Parcel arrived damaged',
    description: 'The box was open on one side, and two of the glasses were broken.',
    status: 'solved',
    priority: 'high',
    assignedAt: at(210),
    resolvedAt: at(1_600),
    installedSourceId: 1,
    installedSourceName: 'Website chat',
    channelType: 'chat',
    customFields: { 'Order number': `A-${number}`, 'Product line': 'Kitchen' },
  };
}
