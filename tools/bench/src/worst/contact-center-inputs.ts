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
const LIST = `/external/conversation-sessions?${ALL}&perPage=100`;
/** Agents of which each takes over from the other one: a session each time. */
const AGENTS = [1, 2].map((accountId) => ({
  accountId,
  email: `agent-${accountId}@example.com`,
  name: 'Agent',
}));

function at(second: number): string {
  return new Date(START + second * 1_000).toISOString();
}

function conversation(id: string, data: object = {}): object {
  return { id, createdAt: at(0), updatedAt: at(20_000), closedAt: at(20_000), ...data };
}

function activity(conversationId: string, n: number): object {
  return {
    id: `${conversationId}-${n}`,
    conversationId,
    action: 'assign',
    occurredAt: at(n),
    agent: AGENTS[n % 2],
  };
}

function message(conversationId: string, n: number): object {
  return { id: `${conversationId}-${n}`, conversationId, senderType: 'agent', sentAt: at(n) };
}

function ticket(conversationId: string, id: number, data: object = {}): object {
  const times = { createdAt: at(id), updatedAt: at(id), assignedAt: at(id) };
  return { id, conversationId, assigneeAccountId: AGENTS[id % 2]!.accountId, ...times, ...data };
}

function survey(conversationId: string, n: number, data: object = {}): object {
  return { id: `${conversationId}-${n}`, conversationId, rating: 5, submittedAt: at(n), ...data };
}

/** So many rows with the largest tickets, in as many conversations as they need. */
async function largeRows(place: Place, count: number): Promise<void> {
  const inOne = Math.floor(LIMITS.conversationBytes / (LIMITS.ticketBytes + 2_000));
  for (let first = 0; first < count; first += inOne) {
    const id = `large-${first}`;
    await store(place, 'conversation', [conversation(id)]);
    const tickets = each(Math.min(inOne, count - first), (n) =>
      ticket(id, first + n, { description: text(LIMITS.ticketBytes) }),
    );
    await store(place, 'ticket', tickets);
  }
}

/** A conversation of so many records: half of them sessions, the others messages, surveys and tickets. */
async function longConversation(place: Place, size: number): Promise<string> {
  const id = `long-${size}`;
  await store(place, 'conversation', [conversation(id)]);
  const parts = [
    { type: 'activity', share: 2, make: activity },
    { type: 'message', share: 4, make: message },
    { type: 'conversation_survey', share: 8, make: survey },
    { type: 'ticket', share: 8, make: ticket },
  ];
  for (const { type, share, make } of parts) {
    const data = each(Math.floor(size / share), (n) => make(id, share * n));
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

/** One more record for a conversation that has as many as it may have. */
const oneMore = (type: string, record: (conversationId: string, n: number) => object): WorstInput =>
  input(
    'one more of a conversation that is full',
    async (place, size) => {
      const id = await longConversation(place, size);
      return (run) => records(place, type, [record(id, 30_001 + 2 * run)]);
    },
    LIMITS.conversationRecords,
  );

const inOneBody = (type: string, record: (conversationId: string, n: number) => object): WorstInput =>
  input(
    'a whole conversation in one body',
    ({ tenant }, size) =>
      (run) =>
        postRecords(tenant.caller, [
          { type: 'conversation', data: conversation(`whole-${run}`) },
          ...each(size, (n) => ({ type, data: record(`whole-${run}`, n) })),
        ]),
    LIMITS.conversationRecords,
  );

/** A ticket with as many custom fields as it may hold. */
const manyFields = (what: string, value: unknown): WorstInput =>
  recordsInput(
    what,
    'ticket',
    (run, _, size) => [
      ticket('c', run, { customFields: Object.fromEntries(each(size, (n) => [`${n}`, value])) }),
    ],
    LIMITS.values,
  );

/** As many exceptions as there may be, with as many intervals as a record may hold. */
function schedule(size: number): object {
  const time = (minutes: number) =>
    `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
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
    await store(place, 'human_schedule', [schedule(size)]);
    const [start, end] = ['2020-01-01T00:00:00Z', '2029-12-01T00:00:00Z'];
    const times = { createdAt: start, updatedAt: end, closedAt: end };
    const spans = each(100, (n) => `span-${n}`);
    const of = (make: (id: string) => object) => spans.map(make);
    await store(
      place,
      'conversation',
      of((id) => conversation(id, times)),
    );
    await store(
      place,
      'activity',
      of((id) => ({ ...activity(id, 0), occurredAt: start })),
    );
    await store(
      place,
      'message',
      of((id) => ({ ...message(id, 0), sentAt: '2029-11-30T00:00:00Z' })),
    );
    return (run) => get(`${LIST}&timezone=${TIMEZONES[(run * 37) % TIMEZONES.length]!}`, place);
  },
  LIMITS.exceptions,
);

export const CONTACT_CENTER_INPUTS: WorstInputs = {
  'GET /external/conversation-sessions': [
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
  'GET /external/conversation-sessions/{conversationId}': [
    withLargeRows('the largest rows', '*/*', '/external/conversation-sessions/large-0'),
    input(
      'the most rows',
      async (place, size) =>
        get(`/external/conversation-sessions/${await longConversation(place, size)}`, place),
      LIMITS.conversationRecords,
    ),
  ],
  'GET /external/conversation-session-changes': [
    withLargeRows('a page of the largest rows', '*/*', '/external/conversation-session-changes?limit=1000'),
    withLargeRows(
      'a stream of the largest rows',
      'application/x-ndjson',
      '/external/conversation-session-changes',
    ),
    input('the longest cursor', (place) =>
      get(`/external/conversation-session-changes?cursor=${'A'.repeat(QUERY_BYTES)}`, place),
    ),
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
  'record activity': [
    oneMore('activity', activity),
    inOneBody('activity', activity),
    crowdedRecord('activity', (run) => activity('c', run)),
  ],
  'record message': [
    oneMore('message', message),
    inOneBody('message', message),
    crowdedRecord('message', (run) => message('c', run)),
  ],
  'record ticket': [
    oneMore('ticket', ticket),
    inOneBody('ticket', ticket),
    input('one more of a conversation that is full of the largest', async (place) => {
      await largeRows(place, 60);
      return (run) => records(place, 'ticket', [ticket('large-0', 1_000 + run)]);
    }),
    manyFields('as many custom fields as it may hold', ''),
    manyFields('as many wrong values as it may hold', 0),
  ],
  'record conversation_survey': [
    oneMore('conversation_survey', survey),
    inOneBody('conversation_survey', survey),
    recordsInput('the longest feedback', 'conversation_survey', (run) => [
      survey('c', run, { feedback: text(LIMITS.recordBytes) }),
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
