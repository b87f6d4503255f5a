import type { AnsweredRow } from './contract-fields';
import { ANN, conversationOfAnn, record, removal } from './builders/platform-records';
import { type RowPage, useContactCenter } from './contact-center-service';

/** Times of records are kept and compared to the microsecond; answers show milliseconds. */

const area = useContactCenter();
beforeEach(() => area.newOrganization());

const [EARLIER, BETWEEN, LATER] = ['123100', '123500', '123900'].map((end) => `2026-01-05T02:00:00.${end}Z`);

/** Each kind of record that has versions, with what its row shows of it. */
const VERSIONED: readonly [
  type: 'conversation' | 'ticket' | 'conversation_survey',
  make: (at: string, text: string) => object,
  field: keyof AnsweredRow,
][] = [
  [
    'conversation',
    (updatedAt, name) => record.conversation({ id: 'c', updatedAt, customer: { name } }),
    'customerName',
  ],
  [
    'ticket',
    (updatedAt, subject) => record.ticket({ id: 7, conversationId: 'c', updatedAt, subject }),
    'ticketSubject',
  ],
  [
    'conversation_survey',
    (submittedAt, feedback) => record.survey({ id: 's', conversationId: 'c', submittedAt, feedback }),
    'feedback',
  ],
];

describe.each(VERSIONED)('of two records of one millisecond: %s', (type, make, field) => {
  const others = [record.conversation({ id: 'c' }), record.ticket({ id: 7, conversationId: 'c' })];

  it.each(['in one body', 'in two bodies'])(
    'the newer one counts, whichever comes last, %s',
    async (bodies) => {
      await area.store(others);
      const both = [make(LATER!, 'newer'), make(EARLIER!, 'older')];
      for (const body of bodies === 'in one body' ? [both] : both.map((one) => [one])) await area.store(body);
      expect((await area.page()).items).toMatchObject([{ [field]: 'newer' }]);
      await area.store([make(LATER!.replace('Z', '999Z'), 'equal but for what is cut off')]);
      expect((await area.page()).items).toMatchObject([{ [field]: 'equal but for what is cut off' }]);
    },
  );

  it('a removal keeps out what is older, and nothing else', async () => {
    if (type === 'conversation_survey') return;
    await area.store(others);
    await area.store([removal(type, type === 'ticket' ? 7 : 'c', { updatedAt: BETWEEN })]);
    await area.store([make(EARLIER!, 'older')]);
    await area.store(type === 'ticket' ? [] : [record.ticket({ id: 7, conversationId: 'c' })]);
    expect((await area.page()).items.map((row) => row[field])).not.toContain('older');
    await area.store([make(LATER!, 'newer')]);
    expect((await area.page()).items).toMatchObject([{ [field]: 'newer' }]);
  });
});

describe('rows', () => {
  const FRACTIONS = { z: '.123', y: '.123001', x: '.1239', w: '.123999999', a: '.124' };
  const IN_ORDER = Object.keys(FRACTIONS);
  beforeEach(() =>
    area.store(
      Object.entries(FRACTIONS).flatMap(([id, fraction]) =>
        conversationOfAnn({ id, updatedAt: `2026-01-05T02:00:00${fraction}Z` }),
      ),
    ),
  );

  it('are ordered by the microsecond of their conversation, of which milliseconds are shown, in pages and after each cursor', async () => {
    expect((await area.page()).items.map(({ conversationId }) => conversationId)).toEqual(IN_ORDER);
    const shown = (await area.changes()).items.map((item) => item.conversationUpdatedAt?.slice(-5));
    expect(shown).toEqual(['.123Z', '.123Z', '.123Z', '.123Z', '.124Z']);
    const read: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null && read.length < 9;) {
      const { items, nextCursor }: RowPage = await area.page({ cursor, perPage: 1 });
      read.push(...items.map(({ conversationId }) => conversationId));
      cursor = nextCursor!;
    }
    expect(read).toEqual(IN_ORDER);
  });

  it('that differ in microseconds only are no change, and are ordered by the later ones', async () => {
    const before = await area.changes();
    await area.store([record.conversation({ id: 'z', updatedAt: '2026-01-05T02:00:00.123950Z' })]);
    expect(await area.changes({ cursor: before.nextCursor })).toMatchObject({
      items: [],
      change: before.change,
    });
    expect((await area.page()).items.map(({ conversationId }) => conversationId)).toEqual([
      'y',
      'x',
      'z',
      'w',
      'a',
    ]);
  });
});

describe('seconds', () => {
  const of = { conversationId: 'c' };
  const handoff = (occurredAt: string) =>
    record.activity({ ...of, id: 'h', action: 'route_to_human', occurredAt });
  const message = (sentAt: string) => record.message({ ...of, id: 'm', sentAt });

  it('are computed from microseconds: calendar, business hours and explanations alike', async () => {
    await area.store([
      record.schedule({ weekly: [{ weekday: 1, start: '00:00', end: '24:00' }] }),
      record.conversation({ id: 'c', closedAt: '2026-01-05T02:05:00.0009Z' }),
      handoff('2026-01-05T02:00:00.000900Z'),
      record.activity({ ...of, id: 'a', agent: ANN, occurredAt: '2026-01-05T02:00:30.000400999999Z' }),
      message('2026-01-05T02:01:00.000400Z'),
    ]);
    const before = await area.changes();
    const items = await area.rowsOf('c');
    const metrics = {
      waitTimeSeconds: 59,
      waitTimeBusinessHoursSeconds: 59,
      firstResponseTimeSeconds: 30,
      firstResponseTimeBusinessHoursSeconds: 30,
      resolutionTimeSeconds: 300,
      resolutionTimeBusinessHoursSeconds: 300,
    };
    expect(items).toMatchObject([
      {
        botHandoffAt: '2026-01-05T02:00:00.000Z',
        firstAgentMessageAt: '2026-01-05T02:01:00.000Z',
        ...metrics,
      },
    ]);
    const explained = await area.call('get', '/external/conversation-sessions/c/explanation').expect(200);
    for (const [metric, seconds] of Object.entries(metrics)) {
      expect(explained.body.rows[0].metrics[metric].seconds).toBe(seconds);
    }

    // Nothing that is shown differs, so that nothing follows.
    await area.store([message('2026-01-05T02:01:00.000401Z')]);
    expect((await area.changes({ cursor: before.nextCursor })).items).toEqual([]);
    // A second more is shown.
    await area.store([message('2026-01-05T02:01:00.000900Z')]);
    const [item] = (await area.changes({ cursor: before.nextCursor })).items;
    expect(item!.row).toMatchObject({ waitTimeSeconds: 60, waitTimeBusinessHoursSeconds: 60 });
  });

  it('of business hours alone, which digests do not cover, are a change, too', async () => {
    const assigned = (occurredAt: string) => record.activity({ ...of, id: 'a', agent: ANN, occurredAt });
    await area.store([
      record.schedule({ weekly: [{ weekday: 1, start: '09:00', end: '10:00' }] }),
      record.conversation({ id: 'c', closedAt: '2026-01-05T12:00:00.500Z' }),
      assigned('2026-01-05T09:30:00Z'),
    ]);
    const before = await area.changes({ timezone: 'UTC' });
    expect(before.items[0]!.row).toMatchObject({ resolutionTimeBusinessHoursSeconds: 1_800 });
    await area.store([assigned('2026-01-05T09:30:00.000001Z')]);
    const [item] = (await area.changes({ timezone: 'UTC', cursor: before.nextCursor })).items;
    expect(item!.row).toMatchObject({
      resolutionTimeSeconds: 9_000,
      resolutionTimeBusinessHoursSeconds: 1_799,
    });
  });

  it('are null if a microsecond is missing, and activities are read in their order', async () => {
    await area.store([
      record.conversation({ id: 'c' }), // They arrive the other way round.
      record.activity({
        ...of,
        id: 'end',
        action: 'end_conversation',
        occurredAt: '2026-01-05T02:00:00.000002Z',
      }),
      record.activity({ ...of, id: 'start', agent: ANN, occurredAt: '2026-01-05T02:00:00.000001Z' }),
      message('2026-01-05T02:00:00.000003Z'),
    ]);
    const items = await area.rowsOf('c');
    expect(items).toMatchObject([{ sessionEndReason: 'terminal', firstAgentMessageAt: null }]);
  });

  it('stay within the year 9999', async () => {
    await area.store([
      record.conversation({ id: 'c', closedAt: '9999-12-31T23:59:59.9999999Z' }),
      message(LATER!),
    ]);
    await area.store([record.activity({ ...of, id: 'a', agent: ANN })]);
    const items = await area.rowsOf('c');
    expect(items).toMatchObject([{ conversationClosedAt: '9999-12-31T23:59:59.999Z' }]);
  });
});
