import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiTokenRepository } from '@cxp/auth-headers';
import { ChangeFeedMaintenance, ChangeWatch } from '@cxp/change-feed';
import { Health } from '@cxp/service-kit';
import { eventually } from '@cxp/service-kit/testing';
import { conversationOfAnn, record, removal } from './builders/platform-records';
import {
  type ChangeItem,
  type ChangePage,
  ContactCenter,
  linesOf,
  ORGANIZATION_MISMATCH,
  useContactCenter,
} from './contact-center-service';

const area = useContactCenter({ CXP_TEST_DEADLINE_MS: '4000' });
beforeEach(() => area.newOrganization());

const conversation = (id: string) => conversationOfAnn({ id });
const schedule = (start: string) => record.schedule({ weekly: [{ weekday: 1, start, end: '17:30' }] });

/** What a page says, in short: the operation, and the reason or the key. */
const shortened = ({ items }: ChangePage) =>
  items.map(({ op, key, reason }) => [
    op,
    key ? `${key.conversationId} ${key.sessionIndex} ${key.ticketId}` : reason,
  ]);

describe('the changes of conversation sessions', () => {
  it('are every row at first, as B1 has it', async () => {
    await area.store([
      schedule('08:00'),
      ...conversation('c-1'),
      record.ticket({ id: 7, conversationId: 'c-1' }),
    ]);
    const { items, hasMore, nextCursor } = await area.changes();
    const [row] = await area.rowsOf('c-1');
    expect(items).toEqual([
      {
        op: 'upsert',
        change: 1,
        key: { conversationId: 'c-1', sessionIndex: 0, ticketId: null },
        conversationUpdatedAt: '2026-01-05T01:00:00.000Z',
        digest: expect.stringMatching(/^[0-9a-f]{16}$/),
        row,
      },
      expect.objectContaining({ key: { conversationId: 'c-1', sessionIndex: null, ticketId: 7 }, change: 2 }),
    ]);
    expect([hasMore, typeof nextCursor]).toEqual([false, 'string']);
  });

  it('that B1 with `cursor=` never has: a late rating, a solved ticket, an older conversation', async () => {
    await area.store([
      ...conversation('c-1'),
      record.ticket({ id: 7, conversationId: 'c-1', status: 'open' }),
    ]);
    let { nextCursor } = await area.changes();
    const next = async () => {
      const page = await area.changes({ cursor: nextCursor });
      nextCursor = page.nextCursor;
      return page.items;
    };
    await area.store([
      record.survey({ id: 's', conversationId: 'c-1', rating: 5, submittedAt: '2026-01-06T00:00:00Z' }),
    ]);
    expect(await next()).toMatchObject([{ row: { rating: 5, sessionIndex: 0 } }]);
    await area.store([record.ticket({ id: 7, conversationId: 'c-1', status: 'solved' })]);
    expect(await next()).toMatchObject([{ row: { ticketStatus: 'solved' } }]);
    await area.store([
      record.conversation({ id: 'old', updatedAt: '2020-01-01T00:00:00Z' }),
      record.ticket({ id: 8, conversationId: 'old' }),
    ]);
    expect(await next()).toMatchObject([{ key: { conversationId: 'old' } }]);
  });

  it('are a resync when the schedule is another, and none when it is the same', async () => {
    await area.store([...conversation('c-1'), schedule('08:00')]);
    const { nextCursor } = await area.changes();
    await area.store([schedule('08:00')]);
    expect((await area.changes({ cursor: nextCursor })).items).toEqual([]);
    await area.store([schedule('09:00')]);
    const page = await area.changes({ cursor: nextCursor });
    expect(page.items).toEqual([{ op: 'resync', change: 3, reason: 'human_schedule' }]);
    expect((await area.changes({ cursor: page.nextCursor })).items).toEqual([]);
    expect(shortened(await area.changes())).toEqual([['upsert', 'c-1 0 null']]);
  });

  it('show business hours in the timezone of each request', async () => {
    await area.store([schedule('08:00'), ...conversation('c-1')]);
    const hours = async (timezone: string) =>
      (await area.changes({ timezone })).items.map(({ row }) => row!.resolutionTimeBusinessHoursSeconds);
    expect(await hours('Asia/Ho_Chi_Minh')).toEqual(
      (await area.rowsOf('c-1', { timezone: 'Asia/Ho_Chi_Minh' })).map(
        (row) => row.resolutionTimeBusinessHoursSeconds,
      ),
    );
  });
});

describe('removal records', () => {
  it('of a conversation remove what has arrived of it, and not what arrives later', async () => {
    await area.store([...conversation('c-1'), record.ticket({ id: 7, conversationId: 'c-1' })]);
    const { nextCursor } = await area.changes();
    await area.store([removal('conversation', 'c-1')]);
    expect(shortened(await area.changes({ cursor: nextCursor }))).toEqual([
      ['delete', 'c-1 0 null'],
      ['delete', 'c-1 null 7'],
    ]);
    await area.get('c-1').expect(404);
    await area.store([record.ticket({ id: 8, conversationId: 'c-1' }), record.conversation({ id: 'c-1' })]);
    expect(shortened(await area.changes())).toEqual([['upsert', 'c-1 null 8']]);
  });

  it('with updatedAt keep older upserts out for as long as they are kept', async () => {
    await area.store([...conversation('c-1'), removal('ticket', 8, { updatedAt: '2026-01-07T00:00:00Z' })]);
    const older = record.ticket({ id: 8, conversationId: 'c-1', updatedAt: '2026-01-06T00:00:00Z' });
    await area.store([older]);
    expect(shortened(await area.changes())).toEqual([['upsert', 'c-1 0 null']]);
    await area.service.app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 1_000));
    await area.store([older]);
    expect(shortened(await area.changes())).toContainEqual(['upsert', 'c-1 null 8']);
  });
});

describe('parameters', () => {
  it.each<[Record<string, string>, string[]]>([
    [{ limit: '0' }, ['limit']],
    [
      { limit: '1001', wait: '26', timezone: 'Nowhere', cursor: 'no cursor' },
      ['cursor', 'limit', 'timezone', 'wait'],
    ],
    [{ wait: '-1' }, ['wait']],
    [{ wait: '1.5' }, ['wait']],
  ])('%j is a 422', async (query, names) => {
    const { body } = await area.listChanges(query).expect(422);
    expect((body.detail as { loc: string[] }[]).map(({ loc }) => loc.join('.')).sort()).toEqual(
      names.map((name) => `query.${name}`),
    );
  });

  it('organizationId has to be the own organization', async () => {
    const { body } = await area.listChanges({ organizationId: 'other', limit: 'x' }).expect(403);
    expect(body).toEqual(ORGANIZATION_MISMATCH);
    await area.listChanges({ organizationId: area.caller.organizationId }).expect(200);
  });

  it('a cursor is not bound to limit or timezone', async () => {
    await area.store(conversation('c-1'));
    const { nextCursor } = await area.changes({ limit: 1, timezone: 'Europe/Paris' });
    expect((await area.changes({ cursor: nextCursor, limit: 7, timezone: 'Asia/Tokyo' })).items).toEqual([]);
  });

  it('an expired cursor is a 410', async () => {
    await area.store(conversation('c-1'));
    const { nextCursor } = await area.changes();
    await area.store([removal('conversation', 'c-1')]);
    await area.service.app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 1_000));
    const { body } = await area.listChanges({ cursor: nextCursor }).expect(410);
    expect(body).toEqual({ detail: 'Cursor expired' });
  });
});

describe('the stream', () => {
  async function stream(query: Record<string, string> = {}): Promise<ChangeItem[]> {
    return linesOf(
      await area.listChanges(query).set('accept', 'application/x-ndjson').buffer(true).expect(200),
    );
  }

  it('has all changes, each with a cursor that continues after it; limit and wait do not apply', async () => {
    await area.store(Array.from({ length: 700 }, (_, number) => `c-${number}`).flatMap(conversation));
    const lines = await stream({ limit: '1', wait: '20' });
    const items = lines.slice(0, -1);
    expect(items).toHaveLength(700);
    // A page ends before its items have more than a MiB.
    const first = await area.changes({ limit: 1000 });
    expect(first.hasMore).toBe(true);
    const last = await area.changes({ cursor: first.nextCursor });
    const all = [...first.items, ...last.items];
    const end = { op: 'end', change: last.change, cursor: last.nextCursor };
    expect(lines.at(-1)).toEqual(end);
    expect(items.map(({ cursor: _, ...item }) => item)).toEqual(all);
    const rest = await area.changes({ cursor: items[650]!.cursor! });
    expect(rest.items).toEqual(all.slice(651));
    expect(await stream({ cursor: items.at(-1)!.cursor! })).toEqual([end]);
  });
});

describe('waiting', () => {
  const waiting = () => area.service.app.get(ChangeWatch).waiting;

  it('is answered as soon as there is something, later than any deadline of a request', async () => {
    const answer = area.changes({ wait: 20 });
    await eventually(() => waiting() === 1);
    await sleep(4_500);
    await area.store(conversation('c-1'));
    expect(shortened(await answer)).toEqual([['upsert', 'c-1 0 null']]);
  });

  it('is answered with nothing when its time is over, and not by a repeated record', async () => {
    await area.store(conversation('c-1'));
    const { nextCursor } = await area.changes();
    const askedAt = performance.now();
    const answer = area.changes({ cursor: nextCursor, wait: 1 });
    await eventually(() => waiting() === 1);
    await area.store(conversation('c-1'));
    expect(await answer).toMatchObject({ items: [], hasMore: false });
    expect(performance.now() - askedAt).toBeGreaterThan(900);
  });

  it('is a 401 when the token was revoked meanwhile', async () => {
    const revoked = await area.service.caller({ organizationId: area.caller.organizationId });
    const answer = area.listChanges({ wait: 20 }, revoked).then(({ status }) => status);
    await eventually(() => waiting() === 1);
    await new ApiTokenRepository(area.service.dataSource.manager).revoke(revoked.tokenId);
    // A token that was looked up is believed for 4 seconds.
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 5_001);
    await area.store(conversation('c-1'));
    expect(await answer).toBe(401);
    clock.mockRestore();
  });

  it('ends when its client goes away', async () => {
    const query = get(`${area.service.url}/external/conversation-session-changes?wait=20`, {
      headers: area.caller.headers,
    });
    query.on('error', () => undefined);
    await eventually(() => waiting() === 1);
    query.destroy();
    await new Promise((resolve) => query.once('close', resolve));
    await eventually(() => waiting() === 0);
  });

  it('is answered at once, with no items, when the service shuts down', async () => {
    const other = new ContactCenter();
    await other.start();
    const answer = other.changes({ wait: 25 });
    await eventually(() => other.service.app.get(ChangeWatch).waiting === 1);
    other.service.app.get(Health).startDraining();
    expect(await answer).toMatchObject({ items: [], hasMore: false });
    await other.service.stop();
  });
});
