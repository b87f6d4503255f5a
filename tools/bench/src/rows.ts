import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';

export type Area = 'webchat' | 'contactCenter' | 'survey';

/** The services of a commit over stores with data. */
export interface Stand {
  readonly urls: Readonly<Record<Area, string>>;
  /** Of a caller that may do everything. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of live sessions. */
  readonly sessionIds: string[];
  /** How many milliseconds a further process takes to be ready, or how many megabytes it then has. */
  readonly startOnce: (area: Area, what: 'took' | 'megabytes') => Promise<Figures>;
}

/** A rate, a time or a size, and the times of single calls, in milliseconds. */
export interface Figures {
  readonly value: number;
  readonly p50?: number;
  readonly p99?: number;
}

/** A line of the table. */
export interface Row {
  readonly name: string;
  readonly unit: '/s' | 'ms' | 'MB';
  readonly measure: (stand: Stand) => Promise<Figures>;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sizes, which the environment may change. */
const CONVERSATIONS = Number(process.env.ROWS ?? 30_000);
const RESPONSES = CONVERSATIONS;
const SOCKETS = Number(process.env.SOCKETS ?? 4_000);
const SECONDS = Number(process.env.SECONDS ?? 3);
const IMPORTED = 5_000;
const KNOWN_USERS = 1_000;
const CONNECTIONS = 32;
const PACED_MESSAGES = 1_000;
const CAMPAIGNS = 100;
/** Lines of an intake, fewer than it may have. */
const INTAKE_LINES = 5_000;

const SESSIONS = '/external/conversation-sessions';
const MONTH = 'startDate=2025-06-10&endDate=2025-07-09';
const NDJSON = 'application/x-ndjson';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const campaignId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const CAMPAIGN_ID = campaignId(1);
const OF_CAMPAIGN = `survey_campaign_id=${CAMPAIGN_ID}&start_date=2026-08-01`;

/** Numbers what has to be new each time. */
let turn = 0;

export const ROWS: readonly Row[] = [
  calls('A1, a new user', 'webchat', () => createSession(randomUUID())),
  calls('A1, a live session', 'webchat', () => createSession(`known-${turn++ % KNOWN_USERS}`)),
  calls('A2', 'webchat', ({ sessionIds }) =>
    post('/external/sessions/refresh', { sessionId: sessionIds[turn++ % KNOWN_USERS] }),
  ),
  {
    name: `a message comes back, 1,000 a second over ${SOCKETS.toLocaleString('en')} sockets, p99`,
    unit: 'ms',
    measure: async (stand) => pacedMessages(await openSockets(stand)),
  },
  calls('B1, first page of a month', 'contactCenter', () => get(`${SESSIONS}?${MONTH}`)),
  answer('first copy of a year by changes', 'contactCenter', get(`${SESSIONS.slice(0, -1)}-changes`, NDJSON)),
  intake('contactCenter', 'intake, conversations of four records', () =>
    conversations(IMPORTED, randomUUID()),
  ),
  calls('C1, first page', 'survey', () => get('/external/survey-campaigns')),
  calls('C2, a late page', 'survey', () =>
    get(`/external/survey-responses?${OF_CAMPAIGN}&end_date=2026-10-30&page=${RESPONSES / 10}`),
  ),
  answer('C3, half a month of responses as CSV', 'survey', exportOf('text/csv')),
  answer('C3, half a month of responses as XLSX', 'survey', exportOf(XLSX)),
  calls('C4, a new link', 'survey', createLink),
  intake('survey', 'intake, responses', () => responses(IMPORTED)),
  ...(['webchat', 'contactCenter', 'survey'] as const).flatMap((area): Row[] => [
    { name: `${area}: start to ready`, unit: 'ms', measure: (stand) => stand.startOnce(area, 'took') },
    { name: `${area}: idle memory`, unit: 'MB', measure: (stand) => stand.startOnce(area, 'megabytes') },
  ]),
];

/** What the rows call for. */
export async function storeData(stand: Stand): Promise<void> {
  const campaign = (id: string) => ({
    type: 'survey_campaign',
    data: { id, name: 'Khảo sát', status: 'active', survey_questions: QUESTIONS },
  });
  const survey = [
    { type: 'organization_settings', data: { max_survey_links_per_campaign: 1_000_000 } },
    { type: 'metadata_field', data: { id: 1, name: 'Cửa hàng', variable: 'store' } },
    ...Array.from({ length: CAMPAIGNS }, (_, n) => campaign(campaignId(n + 1))),
  ];
  await store(stand, 'webchat', [{ type: 'installed_source', data: { id: 1, name: 'Website' } }]);
  for (let n = 0; n < KNOWN_USERS; n++) {
    stand.sessionIds.push((await newSession(stand, `known-${n}`)).sessionId);
  }
  await store(stand, 'contactCenter', conversations(CONVERSATIONS, 'c'));
  await store(stand, 'survey', [...survey, ...responses(RESPONSES)]);
}

/** Calls a second, 32 under way. */
function calls(name: string, area: Area, next: (stand: Stand) => Call): Row {
  return {
    name,
    unit: '/s',
    measure: async (stand) => {
      const times: number[] = [];
      const endsAt = performance.now() + SECONDS * 1_000;
      const work = async () => {
        while (performance.now() < endsAt)
          times.push(await milliseconds(() => send(stand, area, next(stand))));
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return { ...summary(times), value: times.length / SECONDS };
    },
  };
}

/** The time that one answer takes, read to its end. */
function answer(name: string, area: Area, call: Call): Row {
  const measure: Row['measure'] = async (stand) => ({
    value: await milliseconds(() => send(stand, area, call)),
  });
  return { name, unit: 'ms', measure };
}

/** Records a second. */
function intake(area: Area, name: string, records: () => Iterable<object>): Row {
  const measure: Row['measure'] = async (stand) => {
    const took = await milliseconds(() => store(stand, area, records()));
    return { value: (IMPORTED * 1_000) / took };
  };
  return { name, unit: '/s', measure };
}

/** Opened once for each stand; they stay open. */
const opened = new Map<Stand, WebSocket[]>();

async function openSockets(stand: Stand): Promise<WebSocket[]> {
  const sockets = opened.get(stand) ?? [];
  opened.set(stand, sockets);
  while (sockets.length < SOCKETS) {
    const some = Array.from({ length: 100 }, async () => {
      const session = await newSession(stand);
      const url = `${stand.urls.webchat.replace('http', 'ws')}/sessions/${session.sessionId}`;
      const headers = { authorization: `Bearer ${session.sessionToken}` };
      const socket = new WebSocket(url, { headers, perMessageDeflate: false });
      sockets.push(socket);
      await once(socket, 'open');
    });
    await Promise.all(some);
  }
  return sockets;
}

/** How long messages take that are sent at an even pace, whether or not those before have come back. */
async function pacedMessages(sockets: readonly WebSocket[]): Promise<Figures> {
  const echoes: Promise<number>[] = [];
  const startedAt = performance.now();
  while (echoes.length < PACED_MESSAGES * SECONDS) {
    const due = ((performance.now() - startedAt) / 1_000) * PACED_MESSAGES;
    while (echoes.length < due) {
      echoes.push(milliseconds(() => echo(sockets[turn++ % SOCKETS]!)));
    }
    await setTimeout(1);
  }
  const times = summary(await Promise.all(echoes));
  return { ...times, value: times.p99 };
}

async function echo(socket: WebSocket): Promise<void> {
  const clientId = randomUUID();
  const returned = new Promise<void>((resolve) => {
    const listen = (data: Buffer) => {
      if (!data.includes(clientId)) return;
      socket.off('message', listen);
      resolve();
    };
    socket.on('message', listen);
  });
  socket.send(JSON.stringify({ type: 'message.send', clientId, text: 'Where is my order 4711?' }));
  await returned;
}

async function newSession(stand: Stand, userId = randomUUID() as string) {
  const session = await send(stand, 'webchat', createSession(userId));
  return JSON.parse(session) as Record<'sessionId' | 'sessionToken', string>;
}

function createSession(id: string): Call {
  return post('/external/sessions', { organizationId: 'bench', installedSourceId: 1, user: { id } });
}

/** Of each campaign in turn: the links of one are created one after the other, and counted. */
function createLink(): Call {
  const metadata_mapping = [{ metadata_id: 1, value: `Hà Nội ${turn++} ${process.pid}` }];
  return post(`/external/survey-campaigns/${campaignId((turn % CAMPAIGNS) + 1)}/links`, {
    name: 'Cửa hàng Hà Nội 01',
    metadata_mapping,
  });
}

function exportOf(accept: string): Call {
  const path = `/external/survey-responses/export?${OF_CAMPAIGN}&end_date=2026-08-15`;
  return { method: 'POST', path, headers: { accept } };
}

function get(path: string, accept = 'application/json'): Call {
  return { method: 'GET', path, headers: { accept } };
}

function post(path: string, body: object): Call {
  const headers = { 'content-type': 'application/json' };
  return { method: 'POST', path, headers, body: JSON.stringify(body) };
}

const agent = new Agent({ keepAlive: true });

/** @returns the answer's body @throws at an answer without success */
async function send({ urls, headers }: Stand, area: Area, { path, body, ...call }: Call): Promise<string> {
  const options = { agent, method: call.method, headers: { ...headers, ...call.headers } };
  const sent = request(urls[area] + path, options).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const answered = await text(answer);
  if (answer.statusCode! >= 300) throw new Error(`${path}: ${answer.statusCode} ${answered}`);
  return answered;
}

/** Sends records through the intake. */
async function store(stand: Stand, area: Area, records: Iterable<object>): Promise<void> {
  const lines = Array.from(records, (record) => JSON.stringify(record));
  const headers = { 'content-type': NDJSON };
  while (lines.length > 0) {
    const body = lines.splice(0, INTAKE_LINES).join('\n');
    await send(stand, area, { method: 'POST', path: '/internal/records', headers, body });
  }
}

/** Conversations evenly over a year, of which each makes one row. */
function* conversations(count: number, prefix: string): Generator<object> {
  for (let n = 0; n < count; n++) {
    const start = Date.UTC(2025, 0, 1) + (n / count) * 365 * 86_400_000;
    const at = (seconds: number) => new Date(start + seconds * 1_000).toISOString();
    const conversationId = `${prefix}-${n}`;
    const agent = { accountId: 1 + (n % 50), email: `agent-${n % 50}@example.com`, name: `Agent ${n % 50}` };
    const times = { createdAt: at(0), updatedAt: at(1_800), closedAt: at(1_790) };
    const part = (type: string, id: number, data: object) => ({
      type,
      data: { id: `${conversationId}-${id}`, conversationId, ...data },
    });
    yield {
      type: 'conversation',
      data: { id: conversationId, ...times, customer: { name: 'Nguyễn Thị Hoa' } },
    };
    yield part('activity', 2, { action: 'assign', occurredAt: at(100), agent });
    yield part('activity', 3, { action: 'end_conversation', occurredAt: at(1_700), agent });
    yield part('message', 2, { senderType: 'agent', sentAt: at(150) });
  }
}

const QUESTIONS = Array.from({ length: 20 }, (_, n) => ({
  id: n + 1,
  type: 'text',
  title: `Câu hỏi số ${n + 1}`,
}));

/** Responses over 90 days that fill all columns. */
function* responses(count: number): Generator<object> {
  for (let n = 0; n < count; n++) {
    const sent = new Date(Date.UTC(2026, 7, 1) + (n / count) * 90 * 86_400_000).toISOString();
    const answers = QUESTIONS.map(({ id }) => [id, 'Nhân viên rất nhiệt tình, tư vấn kỹ và vui vẻ.']);
    const data = {
      identifier: randomUUID(),
      survey_campaign_id: CAMPAIGN_ID,
      sent_timestamp: sent,
      answered_timestamp: sent,
      user_name: `Nguyễn Thị Hoa ${n}`,
      user_phone: `+84 90 ${1_000_000 + n}`,
      source: 'Zalo',
      tags: ['vip', 'khách mới'],
      answers: Object.fromEntries(answers) as object,
    };
    yield { type: 'survey_response', data };
  }
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function summary(times: readonly number[]) {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: median(sorted), p99: sorted[Math.floor(sorted.length * 0.99)]! };
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const half = values.length / 2;
  return (sorted[Math.floor(half - 0.5)]! + sorted[Math.floor(half)]!) / 2;
}
