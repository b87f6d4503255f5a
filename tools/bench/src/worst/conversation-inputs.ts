import { randomUUID } from 'node:crypto';
import { MAX_RECORDS } from '@cxp/record-intake';
import type { HttpRequest } from '@cxp/services/http';
import { NOON } from '@cxp/services/tenants';
import { postJson, postRecords, record } from '@cxp/services/workloads';
import { MAX_MESSAGE_CHARACTERS } from '@cxp/webchat-gateway/chat-protocol/shapes';
import {
  answerTo,
  each,
  get,
  input,
  LONG_TEXT,
  NDJSON,
  open,
  readUntil,
  records,
  socketOf,
  store,
  type Place,
  type WorstInput,
  type WorstInputs,
} from './input';

const EVENTS = 'conversations/{conversationId}/events';
const HISTORY_MESSAGES = 300;

/** What schemas do not say of webchat: long histories and messages. */
export const CHATS: WorstInputs = {
  [`GET /external/${EVENTS}`]: [
    history('external', ({ sessionToken }) => ({ authorization: `Bearer ${sessionToken}` })),
  ],
  [`GET /internal/${EVENTS}`]: [history('internal', ({ caller }) => caller.headers)],
  [`OPTIONS /external/${EVENTS}`]: [
    input('the answer', () => ({ method: 'OPTIONS', path: '/external/conversations/c/events' })),
  ],
  'POST /internal/conversations/{conversationId}/messages': [
    input('the longest message', (place) => () => longestMessage(place)),
  ],
  'GET /docs/asyncapi.json': [open('/docs/asyncapi.json')],
  'socket that resumes': [
    {
      what: `all of ${HISTORY_MESSAGES} of the longest messages`,
      prepare: async (place) => {
        await storeHistory(place);
        return (url) => readUntil(socketOf(url, place, '?lastEvent=0'), `"event":${HISTORY_MESSAGES + 1},`);
      },
    },
  ],
};

function history(area: string, headers: (tenant: Place['tenant']) => HttpRequest['headers']): WorstInput {
  return input('100 of the longest messages', async (place) => {
    await storeHistory(place);
    const path = `/${area}/conversations/${place.tenant.conversationId}/events?limit=100`;
    return { method: 'GET', path, headers: headers(place.tenant) };
  });
}

async function storeHistory(place: Place): Promise<void> {
  for (let n = 0; n < HISTORY_MESSAGES; n++) await answerTo(place.url, longestMessage(place));
}

function longestMessage({ tenant }: Place): HttpRequest {
  const longest = { senderName: '😀'.repeat(255), text: '😀'.repeat(MAX_MESSAGE_CHARACTERS) };
  const message = { id: randomUUID(), senderType: 'agent', ...longest };
  return postJson(`/internal/conversations/${tenant.conversationId}/messages`, tenant.caller, message);
}

const SESSIONS = '/external/conversation-sessions';
const LIST = `${SESSIONS}?startDate=2020-01-01&endDate=2029-12-31&perPage=100`;
const CONVERSATION_CHANGES = '/external/conversation-session-changes';
/** Records of a conversation, with room for those that an input adds. */
const CONVERSATION_RECORDS = 9_980;
/** Tickets of the largest size that a conversation may hold. */
const LARGE_TICKETS = 60;
const TIMEZONES = Intl.supportedValuesOf('timeZone');

/** What schemas do not say of conversations: many records of one, large rows, spans of years. */
export const CONVERSATIONS: WorstInputs = {
  [`GET ${SESSIONS}`]: [
    ofLargeRows('a page', LIST),
    ofLargeRows('a stream', LIST, NDJSON),
    input('business hours of ten years, in another timezone each time', longSpans),
  ],
  [`GET ${SESSIONS}/{conversationId}`]: [longestConversation('')],
  [`GET ${SESSIONS}/{conversationId}/explanation`]: [longestConversation('/explanation')],
  [`GET ${CONVERSATION_CHANGES}`]: [ofLargeRows('a stream', CONVERSATION_CHANGES, NDJSON)],
  'record activity': [
    input(
      'one more of the longest conversation',
      async (place, size) => {
        await storeConversation(place, size);
        return (run) => records(place, 'activity', [activity('long', 30_001 + 2 * run)]);
      },
      CONVERSATION_RECORDS,
    ),
    input(
      'a whole conversation in one body',
      ({ tenant }, size) =>
        (run) =>
          postRecords(tenant.caller, [
            record('conversation', conversation(`whole-${run}`)),
            ...each(size, (n) => record('activity', activity(`whole-${run}`, n))),
          ]),
      Math.min(CONVERSATION_RECORDS, MAX_RECORDS - 1),
    ),
  ],
};

function longestConversation(path: string): WorstInput {
  return input(
    'the most rows',
    async (place, size) => {
      await storeConversation(place, size);
      return get(`${SESSIONS}/long${path}`, place);
    },
    CONVERSATION_RECORDS,
  );
}

/** A conversation of so many records, of which every other one makes a session. */
async function storeConversation(place: Place, size: number): Promise<void> {
  await store(place, 'conversation', [conversation('long')]);
  const numbers = each(size / 2, (n) => 2 * n);
  await store(
    place,
    'activity',
    numbers.map((n) => activity('long', n)),
  );
  await store(
    place,
    'message',
    numbers.map((n) => message('long', at(n + 1))),
  );
}

/** So many rows with the largest tickets, in as many conversations as they need. */
function ofLargeRows(what: string, path: string, accept?: string): WorstInput {
  return input(
    `${what} of the largest rows`,
    async (place, size) => {
      for (let first = 0; first < size; first += LARGE_TICKETS) {
        const id = `large-${first}`;
        await store(place, 'conversation', [conversation(id)]);
        const tickets = each(Math.min(LARGE_TICKETS, size - first), (n) => ticket(id, first + n, LONG_TEXT));
        await store(place, 'ticket', tickets);
      }
      return get(path, place, accept);
    },
    100,
  );
}

/** Rows whose spans are ten years long, each time in a timezone that was not asked for before. */
async function longSpans(place: Place) {
  const [start, end] = ['2020-01-01T00:00:00Z', '2029-12-01T00:00:00Z'];
  const times = { createdAt: start, updatedAt: end, closedAt: end };
  const ids = each(100, (n) => `span-${n}`);
  const all = {
    human_schedule: [fullSchedule()],
    conversation: ids.map((id) => conversation(id, times)),
    activity: ids.map((id) => activity(id, 0, start)),
    message: ids.map((id) => message(id, end)),
  };
  for (const [type, data] of Object.entries(all)) await store(place, type, data);
  return (run: number) => get(`${LIST}&timezone=${TIMEZONES[(run * 37) % TIMEZONES.length]!}`, place);
}

function fullSchedule(): object {
  const time = (minutes: number) => new Date(minutes * 60_000).toISOString().slice(11, 16);
  const interval = (n: number) => ({ start: time((n * 7) % 1_380), end: time(((n * 7) % 1_380) + 6) });
  const date = (n: number) => at((n - 500) * 86_400).slice(0, 10);
  return {
    weekly: each(200, (n) => ({ weekday: 1 + (n % 7), ...interval(n) })),
    exceptions: each(1_000, (n) => ({ date: date(n), intervals: [interval(n)] })),
  };
}

function conversation(id: string, data: object = {}): object {
  return { id, createdAt: at(0), updatedAt: at(20_000), closedAt: at(20_000), ...data };
}

/** By one of two agents, of which each takes over from the other one: a session each time. */
function activity(conversationId: string, n: number, occurredAt = at(n)): object {
  const accountId = 1 + (Math.floor(n / 2) % 2);
  const agent = { accountId, email: `agent-${accountId}@example.com`, name: 'Agent' };
  return { id: `${conversationId}-${n}`, conversationId, action: 'assign', occurredAt, agent };
}

function message(conversationId: string, sentAt: string): object {
  return { id: `${conversationId}-${sentAt}`, conversationId, senderType: 'agent', sentAt };
}

function ticket(conversationId: string, id: number, description: string): object {
  const times = { createdAt: at(id), updatedAt: at(id), assignedAt: at(id) };
  return { id, conversationId, assigneeAccountId: 1, ...times, description };
}

function at(second: number): string {
  return new Date(Date.parse(NOON) + second * 1_000).toISOString();
}
