import { seededRandom } from '@cxp/testing';
import { openBoth, type TestCopy } from './both-databases';
import { isoTime, randomRow, removal, type Row, upsert } from './generated-feed';

const next = seededRandom('large conversation');
const random = (below: number) => Math.floor(next() * below);

const FEW = 990;
/** The largest conversation. */
const MANY = 9_900;
/** Ten times the rows cost about ten times as much; compared pair by pair they would cost a hundred times as much. */
const MAX_RATIO = 45;

it('changes of a conversation cost what its rows cost, in fresh copies without statistics, too', async () => {
  const { copies, close } = await openBoth({ history: true });
  for (const copy of copies) {
    const few = await changed(copy, 'c-few', FEW);
    const many = await changed(copy, 'c-many', MANY);
    expect(many / few).toBeLessThan(MAX_RATIO);
  }
  await close();
}, 240_000);

let change = 0;

/** @returns milliseconds of one change of all rows of a conversation, and its removal */
async function changed({ store }: TestCopy, conversationId: string, count: number): Promise<number> {
  const row = randomRow(random, conversationId, 0, 0);
  const rows = Array.from({ length: count }, (_, ticketId): Row => ({ ...row, ticketId }));
  const named = (customerName: string) =>
    rows.map((each) => upsert((change += 1), { ...each, customerName }, isoTime(change)));
  await store({ items: named('Hoa'), change });
  const items = named('Lan');
  const gone = rows.map((each) => removal((change += 1), each, 'removed'));
  const began = performance.now();
  await store({ items, change: change - count });
  await store({ items: gone, change });
  return performance.now() - began;
}
