import { postRecords } from '@cxp/services/workloads';
import { MAX_RECORD_BYTES } from '@cxp/platform-records';
import { MAX_RECORDS } from '@cxp/record-intake';
import {
  each,
  get,
  input,
  records,
  store,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './worst-input';

const START = Date.UTC(2026, 0, 5);
const SESSIONS = '/external/conversation-sessions';
const CHANGES = '/external/conversation-session-changes';
const LIST = `${SESSIONS}?startDate=2020-01-01&endDate=2029-12-31&perPage=100`;
/** Records of a conversation, with room for those that an input adds. */
const CONVERSATION_RECORDS = 9_980;
/** Tickets of the largest size that a conversation may hold. */
const LARGE_TICKETS = 60;
const EXCEPTIONS = 1_000;
const TIMEZONES = Intl.supportedValuesOf('timeZone');

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

/** What schemas do not say of conversations: many records of one, large rows, spans of years. */
export const LARGE_CONVERSATIONS: WorstInputs = {
  [`GET ${SESSIONS}`]: [
    ofLargeRows('a page of the largest rows', LIST),
    ofLargeRows('a stream of the largest rows', LIST, 'application/x-ndjson'),
    ofLargeRows('a file of the largest rows', LIST, 'text/csv'),
    input('business hours of ten years, in another timezone each time', longSpans, EXCEPTIONS),
  ],
  [`GET ${SESSIONS}/{conversationId}`]: [
    ofLargeRows('the largest rows', `${SESSIONS}/large-0`),
    input('the most rows', longConversation(''), CONVERSATION_RECORDS),
  ],
  [`GET ${SESSIONS}/{conversationId}/explanation`]: [
    input('the most rows', longConversation('/explanation'), CONVERSATION_RECORDS),
  ],
  [`GET ${CHANGES}`]: [
    ofLargeRows('a page of the largest rows', `${CHANGES}?limit=1000`),
    ofLargeRows('a stream of the largest rows', CHANGES, 'application/x-ndjson'),
  ],
  ...Object.fromEntries(Object.keys(PARTS).map((type) => [`record ${type}`, longest(type as Part)])),
};

/** What a conversation that is as long as it may be takes when a part is added, and when it comes as a whole. */
function longest(type: Part): WorstInput[] {
  return [
    input(
      'one more of a conversation that is full',
      async (place, size) => {
        await storeConversation(place, size);
        return (run) => records(place, type, [part(type, 'long', 30_001 + 2 * run)]);
      },
      CONVERSATION_RECORDS,
    ),
    input(
      'a whole conversation in one body',
      ({ tenant }, size) =>
        (run) =>
          postRecords(tenant.caller, [
            { type: 'conversation', data: conversation(`whole-${run}`) },
            ...each(size, (n) => ({ type, data: part(type, `whole-${run}`, n) })),
          ]),
      Math.min(CONVERSATION_RECORDS, MAX_RECORDS - 1),
    ),
  ];
}

/** A call for so many rows with the largest tickets, in as many conversations as they need. */
function ofLargeRows(what: string, path: string, accept?: string): WorstInput {
  const description = 'ế'.repeat(Math.floor((MAX_RECORD_BYTES - 2_000) / 3));
  return input(
    what,
    async (place, size) => {
      for (let first = 0; first < size; first += LARGE_TICKETS) {
        const id = `large-${first}`;
        await store(place, 'conversation', [conversation(id)]);
        const ofThis = each(Math.min(LARGE_TICKETS, size - first), (n) =>
          part('ticket', id, first + n, { description }),
        );
        await store(place, 'ticket', ofThis);
      }
      return get(path, place, accept);
    },
    100,
  );
}

function longConversation(path: string) {
  return async (place: Place, size: number) => {
    await storeConversation(place, size);
    return get(`${SESSIONS}/long${path}`, place);
  };
}

/** A conversation of so many records. */
async function storeConversation(place: Place, size: number): Promise<void> {
  await store(place, 'conversation', [conversation('long')]);
  for (const [type, { oneOf }] of Object.entries(PARTS)) {
    const data = each(Math.floor(size / oneOf), (n) => part(type as Part, 'long', oneOf * n));
    if (data.length > 0) await store(place, type, data);
  }
}

/** Rows whose spans are ten years long, each time in a timezone that was not asked for before. */
async function longSpans(place: Place, exceptions: number) {
  const [start, end] = ['2020-01-01T00:00:00Z', '2029-12-01T00:00:00Z'];
  const times = { createdAt: start, updatedAt: end, closedAt: end };
  const ids = each(100, (n) => `span-${n}`);
  const ofEach = (data: (id: string) => object) => ids.map(data);
  await store(place, 'human_schedule', [schedule(exceptions)]);
  await store(
    place,
    'conversation',
    ofEach((id) => conversation(id, times)),
  );
  await store(
    place,
    'activity',
    ofEach((id) => part('activity', id, 0, { occurredAt: start })),
  );
  await store(
    place,
    'message',
    ofEach((id) => part('message', id, 0, { sentAt: end })),
  );
  return (run: number) => get(`${LIST}&timezone=${TIMEZONES[(run * 37) % TIMEZONES.length]!}`, place);
}

function schedule(exceptions: number): object {
  const time = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
  const interval = (n: number) => ({ start: time((n * 7) % 1_380), end: time(((n * 7) % 1_380) + 6) });
  return {
    weekly: each(200, (n) => ({ weekday: 1 + (n % 7), ...interval(n) })),
    exceptions: each(exceptions, (n) => ({
      date: new Date(START + (n - exceptions / 2) * 86_400_000).toISOString().slice(0, 10),
      intervals: [interval(n)],
    })),
  };
}

function conversation(id: string, data: object = {}): object {
  return { id, createdAt: at(0), updatedAt: at(20_000), closedAt: at(20_000), ...data };
}

function part(type: Part, conversationId: string, n: number, data: object = {}): object {
  return { id: `${conversationId}-${n}`, conversationId, ...PARTS[type].data(n), ...data };
}

function at(second: number): string {
  return new Date(START + second * 1_000).toISOString();
}

/** Two agents, of which each takes over from the other one: a session each time. */
function agent(n: number) {
  const accountId = 1 + (n % 2);
  return { accountId, email: `agent-${accountId}@example.com`, name: 'Agent' };
}
