import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { parseString } from 'fast-csv';
import { type Cell } from '@cxp/spreadsheet';
import { readParquet } from '@cxp/spreadsheet/parquet-testing';
import { readXlsx } from '@cxp/spreadsheet/testing';
import { ConversationSessionReadModel } from '../src/conversation-sessions/conversation-session.read-model';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import { Timezone } from '../src/business-hours';
import { ROW_FIELDS } from '../src/derivation';
import { ContactCenterSettings } from '../src/settings';
import { CONTRACT_FIELD_NAMES, type AnsweredRow } from './contract-fields';
import { conversationOfAnn, record } from './builders/platform-records';
import { type ChangeItem, EVER, linesOf, type StreamedRow, useContactCenter } from './contact-center-service';

const PARQUET = 'application/vnd.apache.parquet';
const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
/** More than a stream reads at once, twice over, and not a multiple of it. */
const TICKETS = 2_234;

const area = useContactCenter({ CXP_TEST_DEADLINE_MS: '4000' });
beforeAll(() =>
  area.store([
    record.schedule({ weekly: [{ weekday: 1, start: '08:00', end: '17:30' }] }),
    ...['a', 'b'].flatMap((id) =>
      conversationOfAnn({
        id,
        customer: { name: 'Hoa, "the" one\nand only' },
        closedAt: '2026-01-05T03:00:00Z',
      }),
    ),
    ...Array.from({ length: TICKETS }, (_, id) =>
      record.ticket({
        id,
        conversationId: id % 2 ? 'a' : 'b',
        assigneeAccountId: id % 3,
        customFields: { Branch: `Hà Nội ${id}` },
      }),
    ),
  ]),
);
afterEach(() => jest.restoreAllMocks());

type Query = Record<string, string>;

async function file(accept: string, query: Query = {}, by = area.caller): Promise<Buffer> {
  const { body } = await area
    .list(query, by)
    .set('accept', accept)
    .buffer(true)
    .parse((answer, done) => {
      void buffer(answer as unknown as Readable).then(
        (bytes) => done(null, bytes),
        (error: Error) => done(error, null),
      );
    })
    .expect(200);
  return body as Buffer;
}

async function csv(query: Query = {}, by = area.caller): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = [];
  const text = (await file(CSV, query, by)).toString();
  expect(text[0]).toBe('\ufeff');
  const parsing = parseString<Record<string, string>, Record<string, string>>(text.slice(1), {
    headers: true,
  }).on('data', (row) => rows.push(row));
  await once(parsing, 'end');
  return rows;
}

async function pages(query: Query = {}): Promise<AnsweredRow[]> {
  const rows: AnsweredRow[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const { items, pages } = await area.page({ ...query, perPage: 100, page });
    last = pages;
    rows.push(...items);
  }
  return rows;
}

function withoutCursor({ cursor: _, ...row }: StreamedRow): object {
  return row;
}

describe('a whole window in one go', () => {
  it.each<Query>([
    {},
    { timezone: 'Asia/Ho_Chi_Minh' },
    { sessionAgentEmails: 'ann@example.com', sessionEndReasons: 'open_at_end' },
    { assigneeAccountIds: '2' },
    { startDate: '2020-01-01', endDate: '2020-01-01' },
  ])('has the rows of all pages, in order, as NDJSON, as CSV and as a workbook: %j', async (query) => {
    const expected = await pages(query);
    expect(readXlsx(await file(XLSX, query))).toEqual([
      {
        name: 'Conversation sessions',
        rows: [CONTRACT_FIELD_NAMES, ...expected.map((row) => typedCells(row, query.timezone))],
      },
    ]);
    const streamed = await area.stream(query);
    expect(streamed.map(withoutCursor)).toEqual(expected);
    const lines = await csv(query);
    expect(lines.map(({ cursor }) => cursor)).toEqual(streamed.map(({ cursor }) => cursor));
    expect(lines.map(({ cursor: _, ...row }) => row)).toEqual(expected.map(asCells));
    for (const line of lines) expect(Object.keys(line)).toEqual([...CONTRACT_FIELD_NAMES, 'cursor']);
  });

  it('has, for a copy, all that the digest of a row is computed from', async () => {
    const query = { timezone: 'Asia/Ho_Chi_Minh' };
    const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(row)).sort();
    const lines = linesOf<StreamedRow>(
      await area.list(query).set('accept', 'application/x-ndjson; profile=copy').buffer(true).expect(200),
    );
    const changes = linesOf<ChangeItem>(await area.listChanges(query).set('accept', NDJSON).buffer(true));
    const copied = changes
      .slice(0, -1)
      .map(({ row, conversationUpdatedAt }) => ({ ...row, conversationUpdatedAt }));
    expect(inOrder(lines.map(withoutCursor))).toEqual(inOrder(copied));
  });

  it.each([
    [CSV, 'csv'],
    [XLSX, 'xlsx'],
    [PARQUET, 'parquet'],
    [NDJSON, undefined],
  ])('as %s has a file name, if it is a file', async (type, extension) => {
    const { headers } = await area.list().set('accept', type).expect(200);
    expect(headers['content-disposition']).toBe(
      extension &&
        `attachment; filename="conversation-sessions_${EVER.startDate}_${EVER.endDate}.${extension}"`,
    );
  });

  it('shows times of a workbook on the clocks of the timezone, in winter and in summer, and disarms formulas in CSV alone', async () => {
    const other = await area.service.caller();
    await area.store(
      [
        record.conversation({
          id: 'a',
          createdAt: '1995-03-26T00:59:59.999Z',
          closedAt: '2026-03-29T01:00:00Z',
          customer: { name: '=1+1', phone: '+84 90' },
        }),
        record.ticket({
          id: 1,
          conversationId: 'a',
          createdAt: '2026-07-01T00:00:00Z',
          dueDate: '2026-12-01T00:00:00Z',
        }),
      ],
      other,
    );
    const [{ rows } = { rows: [] }] = readXlsx(await file(XLSX, { timezone: 'Europe/Berlin' }, other));
    const cells = Object.fromEntries(rows[0]!.map((name, i) => [name as string, rows[1]![i]]));
    expect(cells).toMatchObject({
      conversationCreatedAt: new Date('1995-03-26T01:59:59Z'),
      conversationClosedAt: new Date('2026-03-29T03:00:00Z'),
      ticketId: 1,
      ticketCreatedAt: new Date('2026-07-01T02:00:00Z'),
      ticketDueDate: new Date('2026-12-01T01:00:00Z'),
      customerName: '=1+1',
      customerPhone: '+84 90',
      customFields: '{}',
      sessionIndex: null,
    });
    const nameInCsv = async () => (await csv({}, other))[0]!.customerName;
    expect(await nameInCsv()).toBe("'=1+1");
    jest.replaceProperty(
      area.service.app.get(ContactCenterSettings),
      'CONTACT_CENTER_EXPORT_FORMULA_GUARD',
      false,
    );
    expect(await nameInCsv()).toBe('=1+1');
  });

  it.each<Query>([{}, { timezone: 'Asia/Ho_Chi_Minh' }, { sessionEndReasons: 'open_at_end' }])(
    'as Parquet, read by DuckDB, has the rows of all pages, typed, and the digests of the days: %j',
    async (query) => {
      const { rows, types, metadata } = await readParquet(await file(PARQUET, query));
      expect(rows.map(({ conversationUpdatedAt: _, ...row }) => row)).toEqual(await pages(query));
      expect(types).toMatchObject({
        sessionIndex: 'BIGINT',
        sessionAgentEmail: 'VARCHAR',
        ticketId: 'BIGINT',
        conversationCreatedAt: 'TIMESTAMP WITH TIME ZONE',
        customFields: 'JSON',
        conversationUpdatedAt: 'TIMESTAMP WITH TIME ZONE',
      });
      const { timezone = 'Asia/Singapore', ...filters } = query;
      expect(JSON.parse(metadata.window!)).toEqual({ ...EVER, timezone: Timezone.named(timezone)!.name });
      if (Object.keys(filters).length > 0) {
        expect(metadata).not.toHaveProperty('digests');
        return;
      }
      const { body } = await area.listDigests({ ...EVER, ...query }).expect(200);
      expect({ change: Number(metadata.change), items: JSON.parse(metadata.digests!) as unknown }).toEqual({
        change: body.change,
        items: body.items,
      });
    },
  );

  it('holds rows of the organization only', async () => {
    expect(await area.stream({}, await area.service.caller())).toEqual([]);
  });

  it.each([NDJSON, CSV, XLSX])(
    'as %s ignores page and perPage, and checks them all the same',
    async (type) => {
      // A workbook has the time at which it was made.
      const read = async (query: Query) =>
        type === XLSX ? readXlsx(await file(type, query)) : file(type, query);
      const all = await read({ assigneeAccountIds: '2' });
      expect(await read({ assigneeAccountIds: '2', page: '7', perPage: '3' })).toEqual(all);
      const { body } = await area
        .list({ startDate: undefined, endDate: undefined, page: '0' })
        .set('accept', type)
        .expect(422);
      expect(body.detail).toHaveLength(3);
    },
  );

  it.each([NDJSON, CSV])('as %s takes as long as the client does: no deadline cuts it', async (type) => {
    const complete = await file(type);
    delaySecondRead(() => sleep(4_500));
    expect(await file(type)).toEqual(complete);
  });

  it.each([NDJSON, CSV, XLSX])(
    'as %s is cut off, not ended, when reading fails in the middle',
    async (type) => {
      delaySecondRead(() => Promise.reject(new Error('gone')));
      await expect(file(type)).rejects.toThrow('aborted');
    },
  );

  it('as a workbook is a 422 if a sheet cannot hold the rows, before anything is sent', async () => {
    const large = await area.service.caller();
    await area.service.dataSource.query(
      `INSERT INTO contact_center.bucket (organization_id, list, starts_at, rows, digest)
       VALUES ($1, '', '2025-06-01T00:00:00Z', 1048575, 0), ($1, '', '2026-06-01T00:00:00Z', 1, 0)`,
      [large.organizationId],
    );
    const { body } = await area.list({}, large).set('accept', XLSX).expect(422);
    expect(body.detail).toEqual([expect.objectContaining({ loc: ['query', 'endDate'], type: 'too_large' })]);
    expect(readXlsx(await file(XLSX, { endDate: '2025-12-31' }, large))).toHaveLength(1);
  });

  it('as Parquet is cut off, not ended, when reading fails after a row group', async () => {
    let isGone = false;
    makeStreamsEndless(() => {
      if (isGone) throw new Error('gone');
    });
    const answer = await area.open(PARQUET);
    isGone = true;
    await expect(buffer(answer)).rejects.toThrow('aborted');
  });

  it.each([NDJSON, CSV, XLSX, PARQUET])(
    'as %s is read no further when the client goes away',
    async (type) => {
      const { started, stopped } = makeStreamsEndless();
      const answer = await area.open(type);
      // A workbook begins before its rows are read.
      await started;
      answer.destroy();
      await stopped;
    },
  );
});

/** No client's buffers hold all of a stream that repeats its rows without end. @param onRepeat before each time */
function makeStreamsEndless(onRepeat = () => {}): { started: Promise<void>; stopped: Promise<void> } {
  let [start, stop] = [() => undefined as void, () => undefined as void];
  const started = new Promise<void>((resolve) => (start = resolve));
  const stopped = new Promise<void>((resolve) => (stop = resolve));
  const sessions = area.service.app.get(ConversationSessionService);
  const readWindow = sessions.stream.bind(sessions);
  jest.spyOn(sessions, 'stream').mockImplementation((...query) => {
    const endless = async function* () {
      start();
      try {
        for (;;) {
          onRepeat();
          yield* await readWindow(...query);
        }
      } finally {
        stop();
      }
    };
    return Promise.resolve(endless());
  });
  return { started, stopped };
}

/** Lets something happen before the second stretch of a stream is read. */
function delaySecondRead(happen: () => Promise<void>): void {
  const { prototype } = ConversationSessionReadModel;
  const read = Reflect.get<typeof prototype, 'after'>(prototype, 'after');
  let reads = 0;
  jest.spyOn(prototype, 'after').mockImplementation(async function (
    this: ConversationSessionReadModel,
    ...query
  ) {
    if (++reads === 2) await happen();
    return read.apply(this, query);
  });
}

function asCells(row: AnsweredRow): Record<string, string> {
  return Object.fromEntries(CONTRACT_FIELD_NAMES.map((name) => [name, asCell(row[name])]));
}

function asCell(value: unknown): string {
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** As a workbook holds them: times are dates, as if the wall time were UTC. Both of these timezones have no summer time. */
function typedCells(row: AnsweredRow, timezone = 'Asia/Singapore'): Cell[] {
  const offset = timezone === 'Asia/Singapore' ? 8 : 7;
  return CONTRACT_FIELD_NAMES.map((name) => {
    const value: unknown = row[name];
    if (value === '' || value === null) return null;
    if (typeof value === 'number') return value;
    if (typeof value === 'object') return JSON.stringify(value);
    const isTime = (ROW_FIELDS[name].schema as { format?: string }).format;
    if (!isTime) return value as string;
    const seconds = Math.floor(Date.parse(value as string) / 1_000);
    return new Date((seconds + offset * 3_600) * 1_000);
  });
}
