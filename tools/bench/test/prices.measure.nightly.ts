import { lineOf, measurePrices, type Price } from '../src/prices';

const MAX_HOLD_MS = 50;
/** Long work goes on in steps and takes what nobody else wants: then so much is left to others. */
const HALF = 0.5;

it('no call at its largest holds a process for long, and no caller takes more than half of a core', async () => {
  const dear: string[] = [];
  await measurePrices(/./, (price) => {
    if (isTooDear(price)) dear.push(lineOf(price));
  });
  expect(dear).toEqual([]);
}, 1_200_000);

function isTooDear({ holdMs, share = 0, left = 1 }: Price): boolean {
  return holdMs > MAX_HOLD_MS || (share > HALF && left < HALF);
}
