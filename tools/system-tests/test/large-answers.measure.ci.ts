import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { imageEnvironment, type ServiceProcess } from '@cxp/testing/local-servers';
import { issueTestToken, type Caller, type TestService } from '@cxp/service-kit/testing';
import { importRecords, metricOf } from '../src/http';
import { contactCenter, startBuilt, survey, type ServiceUnderTest } from '../src/service-under-test';
import { NOON } from '../src/tenants';

const MIB = 1_024 * 1_024;
const UNREAD = 5;
/** Of these, so many are read at last. */
const READ = 2;
/**
 * What all of them may take together, as a share of their size, beside what a process takes that has not collected its garbage: a page is
 * a value, its rows and their JSON. Another copy of each would be 40 MiB and more.
 */
const MAX_GROWTH = 2;
/** What is not collected yet: twenty answers that are read one after the other add 3 to 82 MiB, and a collection takes 100 away. */
const GARBAGE_BYTES = 96 * MIB;

/** What the manifests give a service: 547 MiB were measured. */
const CONTAINER_BYTES = 640 * MIB;

interface LargeAnswer {
  readonly name: string;
  readonly path: string;
  /** How large it is at least. */
  readonly bytes: number;
  readonly items: number;
}

interface Area {
  readonly service: ServiceUnderTest;
  /** Each of them is an intake of its own. */
  readonly records: () => Iterable<object[]>;
  readonly answers: readonly LargeAnswer[];
  /** They answer much more than a stream may hold. */
  readonly streams: readonly (readonly [method: string, path: string])[];
}

/** What an organization may leave unread, beside what the operating system takes of it. */
const MAX_UNREAD_BYTES = 96 * MIB;

/** What a stream that is not read may hold: the rows of two reads, in some forms. */
const STREAM_BYTES = 6 * MIB;
/** At once of an organization. */
const STREAMS = 4;

/** Of the largest conversations, which have 60 large tickets each. */
const CONVERSATIONS = 12;
const TICKETS_OF_CONVERSATION = 60;
const CAMPAIGN = randomUUID();
const RESPONSES = 400;
const CAMPAIGNS = 100;

/** Not the same in two records, and of almost the 64 KiB that a record may have. */
const text = (n: number) => `${n} é `.repeat(12_000).slice(0, 48_000);

const AREAS: readonly Area[] = [
  {
    service: contactCenter,
    *records() {
      for (let n = 0; n < CONVERSATIONS; n++) {
        const conversationId = `large ${n}`;
        yield [
          {
            type: 'conversation',
            data: { id: conversationId, createdAt: NOON, updatedAt: '2025-01-05T00:00:00Z' },
          },
          ...Array.from({ length: TICKETS_OF_CONVERSATION }, (_, ticket) => ({
            type: 'ticket',
            data: {
              id: n * TICKETS_OF_CONVERSATION + ticket + 1,
              conversationId,
              createdAt: NOON,
              updatedAt: NOON,
              description: text(n * TICKETS_OF_CONVERSATION + ticket),
            },
          })),
        ];
      }
    },
    answers: [
      {
        name: 'B2 of the largest conversation',
        path: '/external/conversation-sessions/large%200',
        bytes: 3 * MIB,
        items: TICKETS_OF_CONVERSATION,
      },
      {
        name: 'B1 of 100 large tickets',
        path: '/external/conversation-sessions?startDate=2025-01-01&endDate=2025-01-31&perPage=100',
        bytes: 4 * MIB,
        items: 100,
      },
      {
        name: 'B1 of 100 large tickets, by cursor',
        path: '/external/conversation-sessions?startDate=2025-01-01&endDate=2025-01-31&perPage=100&cursor=',
        bytes: 4 * MIB,
        items: 100,
      },
    ],
    streams: [
      ['GET', '/external/conversation-sessions?startDate=2025-01-01&endDate=2025-01-31'],
      ['GET', '/external/conversation-session-changes'],
    ],
  },
  {
    service: survey,
    *records() {
      for (let n = 0; n < CAMPAIGNS; n++) {
        yield [
          {
            type: 'survey_campaign',
            data: {
              id: n === 0 ? CAMPAIGN : randomUUID(),
              name: `campaign ${n}`,
              status: 'active',
              survey_questions: Array.from({ length: 6 }, (_, id) => ({
                id,
                type: 'text',
                title: `${n} é `.repeat(3_000),
              })),
            },
          },
        ];
      }
      for (let n = 0; n < RESPONSES; n++) {
        yield [
          {
            type: 'survey_response',
            data: {
              identifier: randomUUID(),
              survey_campaign_id: CAMPAIGN,
              answered_timestamp: NOON,
              answers: { 1: text(n) },
            },
          },
        ];
      }
    },
    answers: [
      { name: 'C1', path: '/external/survey-campaigns?per_page=100', bytes: 8 * MIB, items: CAMPAIGNS },
      {
        name: 'C2',
        path: `/external/survey-responses?start_date=2026-01-01&end_date=2026-01-31&survey_campaign_id=${CAMPAIGN}&per_page=100`,
        bytes: 4 * MIB,
        items: 100,
      },
    ],
    streams: [
      ['GET', '/external/survey-response-changes'],
      [
        'POST',
        `/external/survey-responses/export?survey_campaign_id=${CAMPAIGN}&start_date=2026-01-01&end_date=2026-01-31`,
      ],
    ],
  },
];

describe.each(AREAS)('$service.name', ({ service, records, answers, streams }) => {
  let inProcess: TestService;
  let built: ServiceProcess;
  let caller: Caller;

  beforeAll(async () => {
    inProcess = await service.startInProcess();
    // As the image starts it: what takes more memory ends the process.
    built = await startBuilt(service, { ...inProcess.environment, ...imageEnvironment(), LOG_LEVEL: 'warn' });
    caller = await issueTestToken(inProcess.dataSource);
    for (const some of records()) await importRecords(built.url, caller, some);
  }, 180_000);

  afterAll(async () => {
    await built?.stop();
    await inProcess.stop();
  });

  it.each(answers)(
    '$name: clients that do not read it cost little memory, and can read it later',
    async ({ path, bytes, items }) => {
      const whole = await read(await ask(path));
      expect(whole.length).toBeGreaterThan(bytes);
      expect((JSON.parse(whole.toString()) as { items: unknown[] }).items).toHaveLength(items);

      const before = await residentBytes();
      const unread: IncomingMessage[] = [];
      while (unread.length < UNREAD) unread.push(await ask(path));
      await sleep(1_000);
      expect((await residentBytes()) - before).toBeLessThan(
        MAX_GROWTH * UNREAD * whole.length + GARBAGE_BYTES,
      );
      for (const answer of unread.splice(READ)) answer.destroy();
      for (const answer of unread) expect(digest(await read(answer))).toBe(digest(whole));
    },
    180_000,
  );

  it('more unread answers of an organization than fit are 429, until some are read', async () => {
    const [{ path }] = answers.slice(-1) as [LargeAnswer];
    const before = await residentBytes();
    const unread: IncomingMessage[] = [];
    for (;;) {
      const answer = await open(path);
      if (answer.statusCode === 429) {
        expect(await read(answer)).toEqual(Buffer.from(JSON.stringify({ detail: 'Rate limit exceeded' })));
        break;
      }
      unread.push(answer);
      expect(unread.length).toBeLessThan(30);
    }
    const whole = await read(unread.pop()!);
    expect(whole.length * (unread.length + 1)).toBeGreaterThan(MAX_UNREAD_BYTES / 2);
    expect((await residentBytes()) - before).toBeLessThan(2 * MAX_UNREAD_BYTES + GARBAGE_BYTES);
    unread.push(await ask(path));
    for (const answer of unread) answer.destroy();
  }, 180_000);

  it('the largest bodies beside unread answers fit into the container', async () => {
    const [{ path }] = answers.slice(-1) as [LargeAnswer];
    const unread = [await ask(path)];
    while (unread.at(-1)!.statusCode === 200) unread.push(await open(path));
    const callers = [caller, await issueTestToken(inProcess.dataSource)];
    const body = `${JSON.stringify({ type: 'unknown', data: text(1).slice(0, 1_000) })}\n`.repeat(10_000);
    let most = 0;
    const look = async () => (most = Math.max(most, await residentBytes()));
    const watch = setInterval(() => void look(), 50);
    const statuses = await Promise.all(
      Array.from({ length: 16 }, async (_, n) => {
        const headers = { ...callers[n % 2]!.headers, 'content-type': 'application/x-ndjson' };
        return (await fetch(`${built.url}/internal/records`, { method: 'POST', headers, body })).status;
      }),
    );
    clearInterval(watch);
    expect(statuses).toContain(422);
    expect(most).toBeLessThan(CONTAINER_BYTES);
    for (const answer of unread) answer.destroy();
  }, 120_000);

  it.each(streams)('%s %s: streams that are not read hold some rows each', async (method, path) => {
    const before = await residentBytes();
    const unread: IncomingMessage[] = [];
    while (unread.length < STREAMS) unread.push(await ask(path, 'application/x-ndjson', method));
    await sleep(1_000);
    expect((await residentBytes()) - before).toBeLessThan(STREAMS * STREAM_BYTES + GARBAGE_BYTES);
    for (const answer of unread.splice(1)) answer.destroy();
    expect((await read(unread[0]!)).length).toBeGreaterThan(2 * STREAM_BYTES);
    expect((await residentBytes()) - before).toBeLessThan(STREAMS * STREAM_BYTES + GARBAGE_BYTES);
  });

  /** @returns its status and headers; nothing of its body is read yet */
  async function ask(path: string, accept = '*/*', method = 'GET'): Promise<IncomingMessage> {
    const answer = await open(path, accept, method);
    expect(answer.statusCode).toBe(200);
    return answer;
  }

  async function open(path: string, accept = '*/*', method = 'GET'): Promise<IncomingMessage> {
    const headers = { ...caller.headers, accept };
    const sent = request(`${built.url}${path}`, { method, headers, agent: false }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    return answer;
  }

  function residentBytes(): Promise<number> {
    return metricOf(built.url, 'process_resident_memory_bytes');
  }
});

async function read(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
