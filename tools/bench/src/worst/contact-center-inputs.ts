import { postRecords } from '@cxp/services/workloads';
import { LIMITS, QUERY_BYTES } from './limits';
import {
  crowdedRecord,
  each,
  get,
  input,
  manyRecords,
  records,
  recordsInput,
  repeated,
  store,
  text,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';

const START = Date.UTC(2026, 0, 5);
const ALL = 'startDate=2020-01-01&endDate=2029-12-31';
const SESSIONS = '/external/conversation-sessions';
const CHANGES = '/external/conversation-session-changes';
const LIST = `${SESSIONS}?${ALL}&perPage=100`;

function at(second: number): string {
  return new Date(START + second * 1_000).toISOString();
}

function conversation(id: string, data: object = {}): object {
  return { id, createdAt: at(0), updatedAt: at(20_000), closedAt: at(20_000), ...data };
}

/** Two agents, of which each takes over from the other one: a session each time. */
function agent(n: number) {
  const accountId = 1 + (n % 2);
  return { accountId, email: `agent-${accountId}@example.com`, name: 'Agent' };
}

/**
 * The records of a conversation. Of one that is as long as it may be, one of `oneOf` records is of the type: half of them make sessions.
 */
const PARTS = {
  activity: { oneOf: 2, data: (n: number) => ({ action: 'assign', occurredAt: at(n), agent: agent(n) }) },
  message: { oneOf: 4, data: (n: number) => ({ senderType: 'agent', sentAt: at(n) }) },
  conversation_survey: { oneOf: 8, data: (n: number) => ({ rating: 5, submittedAt: at(n) }) },
  ticket: {
    oneOf: 8,
    data: (n: number) => ({
      ...{ id: n, assigneeAccountId: agent(n).accountId },
      ...{ createdAt: at(n), updatedAt: at(n), assignedAt: at(n) },
    }),
  },
};
type Part = keyof typeof PARTS;

function part(type: Part, conversationId: string, n: number, data: object = {}): object {
  return { id: `${conversationId}-${n}`, conversationId, ...PARTS[type].data(n), ...data };
}

/** So many rows with the largest tickets, in as many conversations as they need. */
async function largeRows(place: Place, count: number): Promise<void> {
  const inOne = Math.floor(LIMITS.conversationBytes / (LIMITS.ticketBytes + 2_000));
  const description = text(LIMITS.ticketBytes);
  for (let first = 0; first < count; first += inOne) {
    const id = `large-${first}`;
    await store(place, 'conversation', [conversation(id)]);
    const tickets = each(Math.min(inOne, count - first), (n) =>
      part('ticket', id, first + n, { description }),
    );
    await store(place, 'ticket', tickets);
  }
}

/** A conversation of so many records. */
async function longConversation(place: Place, size: number): Promise<string> {
  const id = `long-${size}`;
  await store(place, 'conversation', [conversation(id)]);
  for (const [type, { oneOf }] of Object.entries(PARTS)) {
    const data = each(Math.floor(size / oneOf), (n) => part(type as Part, id, oneOf * n));
    await store(place, type, data);
  }
  return id;
}

const withLargeRows = (what: string, accept: string, path = LIST): WorstInput =>
  input(
    what,
    async (place, size) => {
      await largeRows(place, size);
      return get(path, place, accept);
    },
    100,
  );

/** What a conversation that is as long as it may be takes when a part is added, and when it comes as a whole. */
const longest = (type: Part): WorstInput[] => [
  input(
    'one more of a conversation that is full',
    async (place, size) => {
      const id = await longConversation(place, size);
      return (run) => records(place, type, [part(type, id, 30_001 + 2 * run)]);
    },
    LIMITS.conversationRecords,
  ),
  input(
    'a whole conversation in one body',
    ({ tenant }, size) =>
      (run) =>
        postRecords(tenant.caller, [
          { type: 'conversation', data: conversation(`whole-${run}`) },
          ...each(size, (n) => ({ type, data: part(type, `whole-${run}`, n) })),
        ]),
    LIMITS.conversationRecords,
  ),
];

/** A ticket with as many custom fields as it may hold. */
const manyFields = (what: string, value: unknown): WorstInput =>
  recordsInput(
    what,
    'ticket',
    (run, _, size) => [
      part('ticket', 'c', run, { customFields: Object.fromEntries(each(size, (n) => [`${n}`, value])) }),
    ],
    LIMITS.values,
  );

/** As many exceptions as there may be, with as many intervals as a record may hold. */
function schedule(size: number): object {
  const time = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
  const interval = (n: number) => ({ start: time((n * 7) % 1_380), end: time(((n * 7) % 1_380) + 6) });
  return {
    weekly: each(Math.min(LIMITS.weeklyIntervals, size), (n) => ({ weekday: 1 + (n % 7), ...interval(n) })),
    exceptions: each(size, (n) => ({
      date: new Date(START + (n - size / 2) * 86_400_000).toISOString().slice(0, 10),
      intervals: [interval(n), interval(n + 50)],
    })),
  };
}

const TIMEZONES = Intl.supportedValuesOf('timeZone');

/** Rows whose spans are ten years long, each time in a timezone that was not asked for before. */
const withSchedule = input(
  'business hours of ten years, in another timezone each time',
  async (place, size) => {
    const [start, end] = ['2020-01-01T00:00:00Z', '2029-12-01T00:00:00Z'];
    const ids = each(100, (n) => `span-${n}`);
    const times = { createdAt: start, updatedAt: end, closedAt: end };
    const assigned = ids.map((id) => part('activity', id, 0, { occurredAt: start }));
    const answered = ids.map((id) => part('message', id, 0, { sentAt: '2029-11-30T00:00:00Z' }));
    await store(place, 'human_schedule', [schedule(size)]);
    await store(
      place,
      'conversation',
      ids.map((id) => conversation(id, times)),
    );
    await store(place, 'activity', assigned);
    await store(place, 'message', answered);
    return (run) => get(`${LIST}&timezone=${TIMEZONES[(run * 37) % TIMEZONES.length]!}`, place);
  },
  LIMITS.exceptions,
);

export const CONTACT_CENTER_INPUTS: WorstInputs = {
  [`GET ${SESSIONS}`]: [
    withLargeRows('a page of the largest rows', 'application/json'),
    withLargeRows('a stream of the largest rows', 'application/x-ndjson'),
    withLargeRows('a file of the largest rows', 'text/csv'),
    withSchedule,
    input('the longest filters', (place) => {
      const emails = repeated(QUERY_BYTES / 2, (n) => `a${n}@b.c`);
      const accounts = repeated(QUERY_BYTES / 2, String);
      return get(`${LIST}&sessionAgentEmails=${emails}&assigneeAccountIds=${accounts}`, place);
    }),
  ],
  [`GET ${SESSIONS}/{conversationId}`]: [
    withLargeRows('the largest rows', '*/*', `${SESSIONS}/large-0`),
    input(
      'the most rows',
      async (place, size) => get(`${SESSIONS}/${await longConversation(place, size)}`, place),
      LIMITS.conversationRecords,
    ),
  ],
  [`GET ${SESSIONS}/{conversationId}/explanation`]: [
    input(
      'the most rows, with a schedule',
      async (place, size) => {
        await store(place, 'human_schedule', [schedule(LIMITS.exceptions)]);
        return get(`${SESSIONS}/${await longConversation(place, size)}/explanation`, place);
      },
      LIMITS.conversationRecords,
    ),
  ],
  [`GET ${CHANGES}`]: [
    withLargeRows('a page of the largest rows', '*/*', `${CHANGES}?limit=1000`),
    withLargeRows('a stream of the largest rows', 'application/x-ndjson', CHANGES),
    input('the longest cursor', (place) => get(`${CHANGES}?cursor=${'A'.repeat(QUERY_BYTES)}`, place)),
  ],
  'GET /external/conversation-session-digests': [
    input('ten years of half hours', (place) =>
      get(`/external/conversation-session-digests?${ALL}&timezone=Asia/Kathmandu`, place),
    ),
  ],
  'record conversation': [
    recordsInput('the longest name', 'conversation', (run) => [
      conversation(`${run}`, { customer: { name: text(LIMITS.recordBytes) } }),
    ]),
    crowdedRecord('conversation', (run) => conversation(`${run}`)),
    manyRecords('conversation', (run, n) => conversation(`${run}-${n}`)),
  ],
  'record activity': longest('activity'),
  'record message': longest('message'),
  'record ticket': [
    ...longest('ticket'),
    input('one more of a conversation that is full of the largest', async (place) => {
      await largeRows(place, 60);
      return (run) => records(place, 'ticket', [part('ticket', 'large-0', 1_000 + run)]);
    }),
    manyFields('as many custom fields as it may hold', ''),
    manyFields('as many wrong values as it may hold', 0),
  ],
  'record conversation_survey': [
    ...longest('conversation_survey'),
    recordsInput('the longest feedback', 'conversation_survey', (run) => [
      part('conversation_survey', 'c', run, { feedback: text(LIMITS.recordBytes) }),
    ]),
  ],
  'record human_schedule': [
    recordsInput(
      'as many intervals as it may hold',
      'human_schedule',
      (_run, _place, size) => [schedule(size)],
      LIMITS.exceptions,
    ),
  ],
};
