import { readFile } from 'node:fs/promises';
import { seededRandom } from '@cxp/testing';
import { makeSeal } from '../src/seal';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, randomRow, removal, type Row, upsert } from './generated-feed';

const next = seededRandom('erased');
const random = (below: number) => Math.floor(next() * below);

/** Text that is nowhere else. */
const MARKER = 'Marker4711';

const hoa = (conversationId: string, ticketId: number, text: string) =>
  ({
    ...randomRow(random, conversationId, 0, ticketId),
    customerName: `${MARKER} ${text}`,
    feedback: MARKER,
  }) as Row;

let copies: readonly TestCopy[];
let close: () => Promise<void>;

beforeEach(async () => {
  ({ copies, close } = await openBoth({ history: true, views: true }));
});
afterEach(() => close());

/** What is found of the person in the tables and views, in a seal, and in the file. */
async function found({ database, query, target }: TestCopy): Promise<string[]> {
  const places = [
    ...['cxp.conversation_session', 'cxp.follow_state', 'cxp.session_past', 'cxp.session'],
    ...['cxp.conversation', 'cxp.session_history', `cxp.as_of(1)`, `cxp.as_of(3)`, `cxp.agent_day('UTC')`],
  ];
  const hits: string[] = [];
  for (const place of places) {
    const rows = await query(`SELECT CAST(to_json(answer) AS text) AS text FROM ${place} AS answer`);
    if (rows.some(({ text }) => String(text).includes(MARKER))) hits.push(place);
  }
  if ((await makeSeal(database, '2026-01-01', '2026-12-31')).text.includes(MARKER)) hits.push('seal');
  if (target.endsWith('.duckdb') && (await readFile(target)).includes(MARKER)) hits.push('file');
  return hits;
}

it.each(['erased', 'expired', 'resync'])(
  'leaves nothing of rows that are %s but their keys and numbers',
  async (reason) => {
    for (const copy of copies) {
      const { store, query } = copy;
      const others = Array.from({ length: 50 }, (_, n) =>
        upsert(n + 10, randomRow(random, `o-${n}`, 0, n), isoTime(n)),
      );
      await store({
        ...{ items: [upsert(1, hoa('c-1', 1, 'first'), isoTime(1)), ...others], change: 60 },
        startsOver: 'first_reading',
      });
      await store({ items: [upsert(61, hoa('c-1', 1, 'second'), isoTime(2))], change: 61 });
      // Another row of the conversation, which was removed before.
      await store({ items: [upsert(62, hoa('c-1', 2, 'third'), isoTime(3))], change: 62 });
      await store({ items: [removal(63, hoa('c-1', 2, 'third'), 'removed')], change: 63 });
      const places = [
        'cxp.session_past',
        'cxp.session_history',
        ...(copy.target.endsWith('db') ? ['file'] : []),
      ];
      expect(await found(copy)).toEqual(expect.arrayContaining(places));
      await store({ items: [removal(64, hoa('c-1', 1, ''), reason)], change: 64 });
      expect(await found(copy)).toEqual([]);
      expect(
        await query(
          `SELECT CAST(ticket_id AS text) AS ticket, CAST(change AS text) AS change, CAST(replaced_by AS text) AS end, end_reason
         FROM cxp.session_history WHERE conversation_id = 'c-1' ORDER BY ticket_id, change`,
        ),
      ).toEqual([
        { ticket: '1', change: '1', end: '61', end_reason: 'changed' },
        { ticket: '1', change: '61', end: '64', end_reason: reason },
        { ticket: '2', change: '62', end: '63', end_reason: 'removed' },
      ]);
    }
  },
);

it('forgets a conversation 90 days after all its rows were removed: the service could not say any more that it is erased', async () => {
  for (const copy of copies) {
    const { store, query, reopen } = copy;
    await store({
      ...{ items: [upsert(1, hoa('c-1', 1, 'first'), isoTime(1))], change: 1 },
      startsOver: 'first_reading',
    });
    await store({ items: [removal(2, hoa('c-1', 1, ''), 'removed')], change: 2 });
    await query(`UPDATE cxp.session_past SET ended_at = now() - INTERVAL '89 days'`);
    await reopen();
    await store({ items: [], change: 3 });
    expect(await found(copy)).toContain('cxp.session_past');
    await query(`UPDATE cxp.session_past SET ended_at = now() - INTERVAL '91 days'`);
    await reopen();
    await store({ items: [], change: 4 });
    expect(await found(copy)).toEqual([]);
  }
});

it('rewrites a file at once for an erasure, but only once an hour for rows that have expired', async () => {
  const [, { store, target }] = copies as [TestCopy, TestCopy];
  const isInFile = async () => (await readFile(target)).includes(MARKER);
  let now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  for (let change = 1; change < 9; change += 2) {
    const reason = change === 5 ? 'erased' : 'expired';
    await store({ items: [upsert(change, hoa('c-1', 1, 'first'), isoTime(change))], change });
    await store({ items: [removal(change + 1, hoa('c-1', 1, ''), reason)], change: change + 1 });
    expect(await isInFile()).toBe(change === 3 || change === 7);
  }
  now += 3_600_001;
  await store({ items: [], change: 9 });
  expect(await isInFile()).toBe(false);
  clock.mockRestore();
});

const kept = upsert(2, randomRow(random, 'c-2', 0, 2), isoTime(2));
const removed = (change: number, reason: string) => ({
  items: [removal(change, hoa('c-1', 1, ''), reason)],
  change,
});

it.each<[string, ...Parameters<TestCopy['store']>[0][]]>([
  [
    'a conversation whose rows were all removed before it was erased',
    removed(3, 'removed'),
    removed(4, 'erased'),
  ],
  [
    "a ticket that was another conversation's before",
    {
      items: [removal(3, hoa('c-1', 1, ''), 'removed'), upsert(4, hoa('c-3', 1, 'moved'), isoTime(3))],
      change: 4,
    },
    { items: [removal(5, hoa('c-3', 1, ''), 'erased')], change: 5 },
  ],
  [
    'rows that are gone after a restored backup',
    { items: [kept], change: 2, startsOver: 'cursor_expired', began: 2 },
  ],
])('leaves nothing of %s', async (_, ...batches) => {
  for (const copy of copies) {
    const items = [upsert(1, hoa('c-1', 1, 'first'), isoTime(1)), kept];
    await copy.store({ items, change: 2, startsOver: 'first_reading' });
    for (const batch of batches) await copy.store(batch);
    expect(await found(copy)).toEqual([]);
  }
});
