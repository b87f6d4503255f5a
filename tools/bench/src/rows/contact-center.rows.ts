import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpRequest } from '@cxp/services/http';
import { contactCenter } from '@cxp/services/service-under-test';
import { agentEmail, conversationRecords } from '../data/conversations';
import { atPace, rate, summary, time } from '../measure';
import type { Caller, Target } from '../target';
import { get, memory, ROWS, SECONDS, suite, type Row } from './row';

interface Data {
  readonly caller: Caller;
  /** The organizations of the rounds of an intake. */
  readonly importing: readonly Caller[];
}

const SESSIONS = '/external/conversation-sessions';
const CHANGES = '/external/conversation-session-changes';
const DAY = 'startDate=2025-06-30&endDate=2025-06-30';
const MONTH = 'startDate=2025-06-10&endDate=2025-07-09';
const YEAR = 'startDate=2025-01-01&endDate=2025-12-31';
const BY_AGENT = `&sessionAgentEmails=${agentEmail(7)}&sessionEndReasons=terminal`;
const PER_PAGE = 50;
/** Conversations of an intake that is measured; the first round is not counted. */
const IMPORTED = 5_000;
const IMPORTS = 8;

export const contactCenterRows = suite<Data>({
  name: `contact-center-export, ${ROWS.toLocaleString('en')} rows in a year`,
  services: [contactCenter],
  bareEntry: 'bare/contact-center.ts',
  prepare: async (target) => {
    const caller = await target.newCaller();
    await target.store(contactCenter, caller, conversationRecords(ROWS));
    const importing: Caller[] = [];
    for (let n = 0; n < IMPORTS; n++) importing.push(await target.newCaller());
    await target.vacuum();
    return { caller, importing };
  },
  rows: [
    { ...page('B1, first page of a day', DAY, 'first', 0.8), bare: 'handler' },
    page('B1, last page of a month', MONTH, 'last'),
    page('B1, last page of a month of an agent', MONTH + BY_AGENT, 'last'),
    file('B1 as NDJSON, rows', `${SESSIONS}?${YEAR}`, 'application/x-ndjson'),
    file('B1 as Parquet, rows', `${SESSIONS}?${YEAR}`, 'application/vnd.apache.parquet'),
    file('first copy by changes, rows', CHANGES, 'application/x-ndjson'),
    {
      name: 'digests of a year',
      unit: 'ms',
      aim: { of: 'figure', most: 50 },
      measure: (target, data) =>
        time(20, () => text(target, get(`/external/conversation-session-digests?${YEAR}`, data.caller))),
    },
    {
      name: 'a record to its item at a waiting reader, 250 conversations/s, p99',
      unit: 'ms',
      aim: { of: 'figure', most: 500 },
      measure: async (target, data) => {
        const figures = summary(await changeTimes(target, data));
        return { ...figures, value: figures.p99! };
      },
    },
    {
      name: 'intake, conversations',
      unit: '/s',
      measure: async (target, { importing }, round) => {
        const seconds = await target.store(contactCenter, importing[round]!, conversationRecords(IMPORTED));
        return { value: IMPORTED / seconds };
      },
    },
    memory(contactCenter, 'resident memory after these calls'),
  ],
});

/** Calls/s of one page, and the page itself: its number is asked once. */
function page(name: string, query: string, which: 'first' | 'last', least?: number): Row<Data> {
  return {
    name,
    unit: '/s',
    aim: least === undefined ? undefined : { of: 'bare', least },
    measure: async (target, data) => {
      const path = `${SESSIONS}?${query}&perPage=${PER_PAGE}&page=`;
      const first = JSON.parse(await text(target, get(`${path}1`, data.caller))) as { pages: number };
      const call = get(path + (which === 'first' ? 1 : first.pages), data.caller);
      const { url } = target.process(contactCenter);
      return rate({ url, next: () => call, connections: 8, seconds: SECONDS, expectedStatus: 200 });
    },
  };
}

/** Rows/s of an answer that holds all rows. */
function file(name: string, path: string, accept: string): Row<Data> {
  return {
    name,
    unit: '/s',
    measure: async (target, data) => {
      const { value } = await time(1, async () => {
        const { headers } = data.caller;
        const answer = await fetch(target.process(contactCenter).url + path, {
          headers: { ...headers, accept },
        });
        for await (const _ of answer.body as unknown as AsyncIterable<Uint8Array>);
      });
      return { value: (ROWS * 1_000) / value };
    },
  };
}

/** From the answer of an intake, which follows the commit, to the answer that a waiting reader gets. */
async function changeTimes(target: Target, { caller }: Data): Promise<number[]> {
  const perRequest = 10;
  const storedAt = new Map<string, number>();
  const seenAt = new Map<string, number>();
  let cursor = '';
  let isWriting = true;
  const next = async (query: string) => {
    const path = `${CHANGES}?limit=1000${query}${cursor && `&cursor=${cursor}`}`;
    const read = JSON.parse(await text(target, get(path, caller))) as ChangesPage;
    cursor = read.nextCursor;
    return read;
  };
  while ((await next('')).hasMore);
  const reading = (async () => {
    while (isWriting || seenAt.size < storedAt.size) {
      const { items } = await next('&wait=2');
      for (const { key } of items)
        seenAt.set(key.conversationId, seenAt.get(key.conversationId) ?? performance.now());
    }
  })();
  await atPace(250 / perRequest, 2 * SECONDS, async (request) => {
    const ids = Array.from({ length: perRequest }, (_, n) => `live-${Date.now()}-${request}-${n}`);
    await target.store(contactCenter, caller, ids.flatMap(liveRecords));
    for (const id of ids) storedAt.set(id, performance.now());
  });
  isWriting = false;
  await Promise.race([reading, sleep(30_000, undefined, { ref: false })]);
  return [...storedAt].map(([id, at]) => Math.max(0, seenAt.get(id)! - at));
}

interface ChangesPage {
  readonly items: readonly { readonly key: { readonly conversationId: string } }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

function liveRecords(id: string): object[] {
  const at = new Date().toISOString();
  const agent = { accountId: 1, email: agentEmail(1), name: 'Agent 1' };
  return [
    { type: 'conversation', data: { id, createdAt: at, updatedAt: at } },
    { type: 'activity', data: { id, conversationId: id, action: 'assign', occurredAt: at, agent } },
  ];
}

async function text(target: Target, request: HttpRequest): Promise<string> {
  return (await target.call(contactCenter, request)).text;
}
