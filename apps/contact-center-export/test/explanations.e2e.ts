import type request from 'supertest';
import type { Caller } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import { conversationNotFound, ORGANIZATION_MISMATCH, useContactCenter } from './contact-center-service';

/** Open until 12:00 and from 12:05; on this date, which is a holiday for a part of the team, only from 12:10. */
const LUNCH = {
  weekly: [1, 2, 3, 4, 5].flatMap((weekday) => [
    { weekday, start: '08:30', end: '12:00' },
    { weekday, start: '12:05', end: '17:30' },
  ]),
  exceptions: [
    {
      date: '2026-01-05',
      intervals: [
        { start: '08:30', end: '12:00' },
        { start: '12:10', end: '17:30' },
      ],
    },
  ],
};

const area = useContactCenter();
beforeAll(() => {
  const of = { conversationId: 'c' };
  const agent = { accountId: 7, email: 'linh@example.com' };
  return area.store([
    record.schedule(LUNCH),
    record.conversation({ id: 'c', closedAt: '2026-01-05T04:30:00.000Z' }),
    record.activity({
      ...of,
      id: 'handoff',
      action: 'route_to_human',
      occurredAt: '2026-01-05T03:58:00.000Z',
    }),
    record.activity({ ...of, id: 'assigned', agent, occurredAt: '2026-01-05T04:01:00.000Z' }),
    record.message({ ...of, id: 'first', sentAt: '2026-01-05T04:13:59.500Z' }),
    record.activity({ ...of, id: 'end', action: 'route_to_rating', occurredAt: '2026-01-05T04:20:00.000Z' }),
    record.ticket({ ...of, id: 1001, assigneeAccountId: 7, createdAt: '2026-01-05T04:05:00.000Z' }),
    record.ticket({ ...of, id: 1002 }),
    record.survey({ ...of, id: 'survey', rating: 5, submittedAt: '2026-01-05T04:25:00.000Z' }),
  ]);
});

function explanation(id = 'c', query = '', by?: Caller): request.Test {
  return area.call(
    'get',
    `/external/conversation-sessions/${encodeURIComponent(id)}/explanation${query}`,
    by,
  );
}

function times<Item>(count: number, item: (n: number) => Item): Item[] {
  return Array.from({ length: count }, (_, n) => item(n));
}

function whatIf(body: unknown, query = '', id = 'c'): request.Test {
  return area
    .call('post', `/external/conversation-sessions/${id}/explanation${query}`)
    .set('content-type', 'application/json')
    .send(JSON.stringify(body));
}

describe('GET /external/conversation-sessions/{conversationId}/explanation', () => {
  it('explains a wait of 959 seconds that is 359 in business hours', async () => {
    const { body } = await explanation().expect(200);
    expect(body).toMatchObject({ conversationId: 'c', timezone: 'Asia/Singapore' });
    const [row, withoutSession] = body.rows;
    expect(row).toEqual({
      sessionIndex: 0,
      ticketId: 1001,
      session: {
        opened: { type: 'activity', id: 'assigned', at: '2026-01-05T04:01:00.000Z' },
        closed: { type: 'activity', id: 'end', at: '2026-01-05T04:20:00.000Z' },
        rule: 'assign opens a session; route_to_rating ends it (terminal)',
      },
      ticket: { matchedBy: 'createdAt', at: '2026-01-05T04:05:00.000Z', rule: expect.any(String) },
      satisfaction: {
        record: { type: 'conversation_survey', id: 'survey', at: '2026-01-05T04:25:00.000Z' },
        rule: expect.stringContaining('sent the customer to rating'),
      },
      anchors: {
        botHandoffAt: {
          at: '2026-01-05T03:58:00.000Z',
          record: { type: 'activity', id: 'handoff', at: '2026-01-05T03:58:00.000Z' },
          rule: expect.stringContaining('Latest route_to_human'),
        },
        firstAgentAssignedAt: expect.objectContaining({
          record: expect.objectContaining({ id: 'assigned' }),
        }),
        firstAgentMessageAt: expect.objectContaining({
          record: { type: 'message', id: 'first', at: '2026-01-05T04:13:59.500Z' },
        }),
        lastAgentMessageAt: expect.objectContaining({ at: '2026-01-05T04:13:59.500Z' }),
        conversationResolvedAt: expect.objectContaining({
          record: { type: 'conversation', id: 'c', at: '2026-01-05T04:30:00.000Z' },
        }),
      },
      metrics: {
        waitTimeSeconds: {
          seconds: 959,
          from: 'botHandoffAt',
          to: 'firstAgentMessageAt',
          rule: 'Calendar seconds from botHandoffAt to firstAgentMessageAt.',
        },
        firstResponseTimeSeconds: expect.objectContaining({ seconds: 779 }),
        resolutionTimeSeconds: expect.objectContaining({ seconds: 1_920 }),
        waitTimeBusinessHoursSeconds: {
          seconds: 359,
          from: 'botHandoffAt',
          to: 'firstAgentMessageAt',
          rule: expect.stringContaining('business hours'),
          counted: [
            { from: '2026-01-05T03:58:00.000Z', to: '2026-01-05T04:00:00.000Z' },
            { from: '2026-01-05T04:10:00.000Z', to: '2026-01-05T04:13:59.500Z' },
          ],
          omitted: [
            { from: '2026-01-05T04:00:00.000Z', to: '2026-01-05T04:05:00.000Z', reason: 'closed' },
            { from: '2026-01-05T04:05:00.000Z', to: '2026-01-05T04:10:00.000Z', reason: 'exception' },
          ],
        },
        firstResponseTimeBusinessHoursSeconds: expect.objectContaining({ seconds: 239 }),
        resolutionTimeBusinessHoursSeconds: expect.objectContaining({ seconds: 1_320 }),
      },
    });
    expect(withoutSession).toMatchObject({
      ...{ sessionIndex: null, ticketId: 1002, session: null },
      ticket: { matchedBy: null, at: null, rule: 'A ticket without an assignee has no session.' },
      anchors: { botHandoffAt: { at: null, record: null } },
      metrics: { waitTimeBusinessHoursSeconds: { seconds: null, counted: [], omitted: [] } },
    });
  });

  it.each([
    ['Asia/Singapore', 'Asia/Singapore'],
    ['ASIA/SAIGON', 'Asia/Saigon'],
  ])('has the rows and figures of B2, and the timezone as IANA writes it: %s', async (timezone, name) => {
    const items = await area.rowsOf('c', { timezone });
    const { rows, timezone: answered } = (await explanation('c', `?timezone=${timezone}`).expect(200)).body;
    expect(answered).toBe(name);
    expect(items).toMatchObject(rows.map(figuresOf));
  });

  it('without a schedule omits the whole span', async () => {
    const other = await area.service.caller();
    const of = { conversationId: 'd' };
    await area.store(
      [
        record.conversation({ id: 'd' }),
        record.activity({ ...of, id: 'a', occurredAt: '2026-01-05T04:00:00.000Z' }),
        record.message({ ...of, id: 'm', sentAt: '2026-01-05T04:01:00.000Z' }),
      ],
      other,
    );
    const { rows } = (await explanation('d', '', other).expect(200)).body;
    expect(rows[0]).toMatchObject({
      session: { closed: null, rule: 'assign opens a session; nothing has ended it (open_at_end)' },
      anchors: { botHandoffAt: { at: '2026-01-05T04:00:00.000Z', record: null } },
      metrics: {
        waitTimeBusinessHoursSeconds: {
          seconds: null,
          counted: [],
          omitted: [
            { from: '2026-01-05T04:00:00.000Z', to: '2026-01-05T04:01:00.000Z', reason: 'no_schedule' },
          ],
        },
      },
    });
  });

  describe('of many rows', () => {
    const of = { conversationId: 'wide' };
    const agent = { accountId: 7, email: 'linh@example.com' };
    beforeAll(async () => {
      await area.store([
        record.conversation({ id: 'wide' }),
        record.activity({ ...of, id: 'wide-a', agent, occurredAt: '2006-01-05T04:00:00.000Z' }),
        record.message({ ...of, id: 'wide-m', sentAt: '2026-01-05T04:00:00.000Z' }),
        record.activity({ ...of, id: 'wide-b', occurredAt: '2026-01-06T04:00:00.000Z' }),
        ...times(60, (n) =>
          record.ticket({
            ...of,
            id: 2_000 + n,
            assigneeAccountId: 7,
            createdAt: '2006-01-05T05:00:00.000Z',
          }),
        ),
        ...times(60, (n) => record.ticket({ ...of, id: 3_000 + n })),
      ]);
    });

    it('explains the first hundred, and each lists 1,000 intervals of each figure', async () => {
      const { body } = await explanation('wide').expect(200);
      const items = await area.rowsOf('wide');
      expect(items).toHaveLength(121);
      expect(body).toMatchObject({ truncated: true });
      const figures = body.rows.map(figuresOf);
      expect(figures).toHaveLength(100);
      for (const [place, row] of figures.entries()) expect(items[place]).toMatchObject(row);
      const { counted, omitted, truncated } = body.rows[59].metrics.waitTimeBusinessHoursSeconds;
      expect({ length: counted.length + omitted.length, truncated }).toEqual({
        length: 1_000,
        truncated: true,
      });
    });

    it.each<[string, [number | null, number | null][]]>([
      ['?sessionIndex=1', [[1, null]]],
      ['?ticketId=2059', [[0, 2_059]]],
      ['?sessionIndex=0&ticketId=2000', [[0, 2_000]]],
      ['?ticketId=3059', [[null, 3_059]]],
      ['?sessionIndex=none&ticketId=3000', [[null, 3_000]]],
      ['?ticketId=none', [[1, null]]],
      ['?sessionIndex=1&ticketId=2000', []],
      ['?sessionIndex=none&ticketId=none', []],
      ['?sessionIndex=99999999999999999999', []],
      ['?sessionIndex=-1', []],
    ])('explains those that are chosen: %s', async (query, keys) => {
      const asked = [explanation('wide', query), whatIf({ humanSchedule: LUNCH }, query, 'wide')];
      for (const { body } of await Promise.all(asked.map((call) => call.expect(200)))) {
        expect(body.rows.map((row: Record<string, number>) => [row.sessionIndex, row.ticketId])).toEqual(
          keys,
        );
        expect(body).not.toHaveProperty('truncated');
      }
    });

    it('explains all rows of a choice up to a hundred of them', async () => {
      const { rows, ...rest } = (await explanation('wide', '?sessionIndex=none').expect(200)).body;
      expect(rows).toHaveLength(60);
      expect(rest).not.toHaveProperty('truncated');
    });

    it.each(['x', '', '1.5', '1e2', '%201', 'null', 'None', '0x1', '1&sessionIndex=2'])(
      'a sessionIndex that is no whole number is 422: %j',
      async (value) => {
        for (const name of ['sessionIndex', 'ticketId']) {
          const query = `?${name}=${value.replace('sessionIndex', name)}`;
          for (const call of [explanation('wide', query), whatIf({ humanSchedule: LUNCH }, query)]) {
            expect((await call.expect(422)).body.detail).toMatchObject([{ loc: ['query', name] }]);
          }
        }
      },
    );
  });

  it('a span outside 1970 to 2199 is not counted', async () => {
    const of = { conversationId: 'sentinel' };
    await area.store([
      record.conversation({ id: 'sentinel', closedAt: '9999-12-31T23:59:59.999Z' }),
      record.activity({ ...of, id: 'sentinel-a', occurredAt: '2026-01-05T04:00:00.000Z' }),
      record.message({ ...of, id: 'sentinel-m', sentAt: '2026-01-05T04:00:30.000Z' }),
    ]);
    const items = await area.rowsOf('sentinel');
    expect(items[0]).toMatchObject({
      waitTimeBusinessHoursSeconds: 0,
      resolutionTimeSeconds:
        (Date.parse('9999-12-31T23:59:59Z') - Date.parse('2026-01-05T04:00:00Z')) / 1_000,
      resolutionTimeBusinessHoursSeconds: null,
    });
    const { metrics } = (await explanation('sentinel').expect(200)).body.rows[0];
    expect(metrics.resolutionTimeBusinessHoursSeconds).toMatchObject({
      seconds: null,
      counted: [],
      omitted: [{ from: '2026-01-05T04:00:00.000Z', to: '9999-12-31T23:59:59.999Z', reason: 'out_of_range' }],
    });
  });

  it.each<[string, () => request.Test, number, object]>([
    ['an unknown conversation', () => explanation('none'), 404, conversationNotFound('none')],
    ['a NUL in the id', () => explanation('a\0b'), 404, conversationNotFound('a\0b')],
    ['another organizationId', () => explanation('c', '?organizationId=x'), 403, ORGANIZATION_MISMATCH],
    [
      'another organizationId before a wrong schedule',
      () => whatIf({}, '?organizationId=x'),
      403,
      ORGANIZATION_MISMATCH,
    ],
    [
      'a what-if about an unknown conversation',
      () => whatIf({ humanSchedule: LUNCH, organizationId: 'no parameter' }, '', 'none'),
      404,
      conversationNotFound('none'),
    ],
  ])('%s', async (_, call, status, body) => {
    expect((await call().expect(status)).body).toEqual(body);
  });
});

describe('POST /external/conversation-sessions/{conversationId}/explanation', () => {
  const always = {
    weekly: [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '00:00', end: '24:00' })),
  };

  it('answers what B2 answers once that schedule is stored, and stores nothing', async () => {
    const before = (await explanation().expect(200)).body;
    const { rows } = (await whatIf({ humanSchedule: always }).expect(200)).body;
    expect(rows[0].metrics.waitTimeBusinessHoursSeconds).toMatchObject({
      seconds: 959,
      counted: [{ from: '2026-01-05T03:58:00.000Z', to: '2026-01-05T04:13:59.500Z' }],
      omitted: [],
    });
    expect((await explanation().expect(200)).body).toEqual(before);
    await area.store([record.schedule(always)]);
    expect((await explanation().expect(200)).body.rows).toEqual(rows);
    const items = await area.rowsOf('c');
    expect(items[0]).toMatchObject(figuresOf(rows[0]));
    await area.store([record.schedule(LUNCH)]);
  });

  it.each<[string, unknown, (string | number)[]]>([
    ['no schedule', {}, ['body', 'humanSchedule']],
    ['a list', [], ['body', 'humanSchedule']],
    ['no week', { humanSchedule: {} }, ['body', 'humanSchedule', 'weekly']],
    [
      'a wrong time',
      { humanSchedule: { weekly: [{ weekday: 1, start: '9', end: '10:00' }] } },
      ['body', 'humanSchedule', 'weekly', 0, 'start'],
    ],
    [
      'a second exception of a date',
      { humanSchedule: { weekly: [], exceptions: [LUNCH.exceptions[0], LUNCH.exceptions[0]] } },
      ['body', 'humanSchedule', 'exceptions', 1, 'date'],
    ],
  ])('%s is 422', async (_, body, loc) => {
    expect((await whatIf(body).expect(422)).body.detail).toMatchObject([{ loc }]);
  });

  describe('over 230 years', () => {
    const never = { humanSchedule: { weekly: [] } };
    beforeAll(() => {
      const of = { conversationId: 'long' };
      const agent = { accountId: 7, email: 'linh@example.com' };
      return area.store([
        record.conversation({ id: 'long', closedAt: '2199-12-30T00:00:00.000Z' }),
        record.activity({
          ...of,
          id: 'hand',
          action: 'route_to_human',
          occurredAt: '1970-01-02T00:00:00.000Z',
        }),
        record.activity({ ...of, id: 'take', agent, occurredAt: '1970-01-03T00:00:00.000Z' }),
        record.message({ ...of, id: 'write', sentAt: '2199-12-29T00:00:00.000Z' }),
      ]);
    });

    it('is answered once at a time for each organization, in a process; the stored schedule at any time', async () => {
      const calls = [whatIf(never, '', 'long'), whatIf(never, '', 'long'), explanation('long')];
      const answers = await Promise.all(calls.map((call) => call.then((answer) => answer)));
      const [one, other, stored] = answers.map(({ status }) => status);
      expect([Math.min(one!, other!), Math.max(one!, other!), stored]).toEqual([200, 429, 200]);
      expect(answers.find(({ status }) => status === 429)!.headers['retry-after']).toBe('1');
      await whatIf(never, '', 'long').expect(200);
    });

    it('lets others be served after each year, of the week without exceptions, too', async () => {
      let served = 0;
      let next = setImmediate(function serve() {
        served += 1;
        next = setImmediate(serve);
      });
      const closed = { weekly: [], exceptions: [{ date: '2026-01-05', intervals: [] }] };
      await whatIf({ humanSchedule: closed }, '', 'long').expect(200);
      clearImmediate(next);
      expect(served).toBeGreaterThan(2 * 228);
    });
  });

  it('more than 128 KiB is 413', async () => {
    await whatIf({ humanSchedule: always, unknown: 'x'.repeat(128 * 1024) }).expect(413);
  });
});

/** What an explanation and a row of B2 both have. */
function figuresOf({
  sessionIndex,
  ticketId,
  anchors,
  metrics,
}: {
  sessionIndex: number | null;
  ticketId: number | null;
  anchors: Record<string, { at: string | null }>;
  metrics: Record<string, { seconds: number | null }>;
}): Record<string, unknown> {
  return {
    sessionIndex,
    ticketId,
    ...Object.fromEntries(Object.entries(anchors).map(([name, { at }]) => [name, at])),
    ...Object.fromEntries(Object.entries(metrics).map(([name, { seconds }]) => [name, seconds])),
  };
}
