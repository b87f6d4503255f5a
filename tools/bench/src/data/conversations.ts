/** The year that the conversations of the benchmark fall into, evenly. */
const YEAR = { startsAt: Date.UTC(2025, 0, 1), days: 365 };

const YEAR_MS = YEAR.days * 24 * 60 * 60 * 1000;
const AGENTS = 50;
const ENDINGS = [
  'end_conversation',
  'route_to_rating',
  'route_to_ai',
  'end_conversation',
  'timed_out',
  'route_to_ai',
  'end_conversation',
];

const SCHEDULE_RECORD = {
  type: 'human_schedule',
  data: {
    weekly: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: '08:30', end: '17:30' })),
    exceptions: [{ date: '2025-01-01', intervals: [] }],
  },
};

/**
 * The records of so many conversations in order of time: three activities, three messages, a ticket for four in eleven, a survey for every
 * one that was sent to rating. Each makes one row of the export.
 */
export function* conversationRecords(count: number): Generator<object> {
  yield SCHEDULE_RECORD;
  for (let number = 0; number < count; number++) yield* recordsOf(number, number / count);
}

export function agentEmail(number: number): string {
  return `agent-${number}@example.com`;
}

/** @param share of the year that is over when it begins */
function* recordsOf(number: number, share: number): Generator<object> {
  const createdAt = YEAR.startsAt + Math.floor(share * YEAR_MS);
  const at = (seconds: number) => new Date(createdAt + seconds * 1_000).toISOString();
  const conversationId = `conversation-${number}`;
  const accountId = 1 + (number % AGENTS);
  const agent = { accountId, email: agentEmail(accountId), name: `Agent ${accountId}` };
  const ending = ENDINGS[number % ENDINGS.length]!;
  const part = (type: string, n: number, data: object) => ({
    type,
    data: { id: `${conversationId}-${n}`, conversationId, ...data },
  });
  const customer = {
    filumId: `customer-${number}`,
    name: 'Nguyễn Thị Hoa',
    phone: '+84901234567',
    email: 'hoa@example.com',
  };
  yield {
    type: 'conversation',
    data: { id: conversationId, createdAt: at(0), updatedAt: at(1_800), closedAt: at(1_790), customer },
  };
  yield part('activity', 1, { action: 'route_to_human', occurredAt: at(60), agent: null });
  yield part('activity', 2, { action: 'assign', occurredAt: at(100), agent });
  yield part('activity', 3, { action: ending, occurredAt: at(1_700), agent });
  yield part('message', 1, { senderType: 'customer', sentAt: at(10) });
  yield part('message', 2, { senderType: 'agent', sentAt: at(150) });
  yield part('message', 3, { senderType: 'agent', sentAt: at(900) });
  if (number % 11 < 4) {
    const ticket = {
      id: number,
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
    yield part('ticket', 0, ticket);
  }
  if (ending !== 'route_to_rating') return;
  const survey = { rating: 1 + (number % 5), feedback: 'Nhanh', submittedAt: at(1_750) };
  yield part('conversation_survey', 0, survey);
}
