import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '@cxp/testing';
import { checkSeal, makeSeal } from '../src/seal';
import { openBoth } from './both-databases';
import { isoTime, randomRow, upsert } from './generated-feed';

const ROWS = Number(process.env.ROWS ?? 20_000);
const SEALED_ROWS = Number(process.env.SEALED_ROWS ?? 50_000);
/** As the follower stores them. */
const BATCH = 5_000;

const next = seededRandom('copy-cost');
const random = (below: number) => Math.floor(next() * below);
const templates = Array.from({ length: 1_000 }, (_, n) => ({
  ...randomRow(random, `c-${n}`, 0, n),
  ticketDescription: 'Kính vỡ. '.repeat(40),
}));

/** Seconds that each database takes for so many rows, a fifth of which change once. */
async function copied(rows: number, options: object, seal = false): Promise<Record<string, number>> {
  const { copies, close } = await openBoth(options);
  const seconds: Record<string, number> = {};
  const item = (n: number, change: number, rating: number) => {
    const row = { ...templates[n % templates.length]!, conversationId: `c-${n}`, ticketId: n, rating };
    return upsert(change, row, isoTime((n * 30 * 86_400) / rows));
  };
  for (const { store, target, database } of copies) {
    const name = target.startsWith('postgres') ? 'PostgreSQL' : 'DuckDB';
    const startedAt = performance.now();
    for (let from = 0; from < rows; from += BATCH) {
      const items = Array.from({ length: Math.min(BATCH, rows - from) }, (_, n) =>
        item(from + n, from + n + 1, 3),
      );
      const isCurrent = from + BATCH >= rows;
      await store({
        items,
        change: from + BATCH,
        isCurrent,
        startsOver: from === 0 ? 'first_reading' : null,
      });
    }
    seconds[`${name}, first copy`] = (performance.now() - startedAt) / 1_000;
    const changedAt = performance.now();
    for (let from = 0; from < rows / 5; from += BATCH) {
      const items = Array.from({ length: BATCH }, (_, n) => item((from + n) * 5, rows + from + n + 1, 4));
      await store({ items, change: rows + from + BATCH, isCurrent: from + BATCH >= rows / 5 });
    }
    seconds[`${name}, changes`] = (performance.now() - changedAt) / 1_000;
    if (!seal) continue;
    const sealedAt = performance.now();
    const text = await makeSeal(database, '2026-03-01', '2026-03-31');
    seconds[`${name}, seal`] = (performance.now() - sealedAt) / 1_000;
    const checkedAt = performance.now();
    expect(await checkSeal(database, text)).toEqual([]);
    seconds[`${name}, seal --check`] = (performance.now() - checkedAt) / 1_000;
  }
  await close();
  return seconds;
}

it('prints what views and a history cost, and what a seal takes', async () => {
  const without = await copied(ROWS, {});
  const everything = await copied(ROWS, { views: true, history: true });
  const lines = Object.entries(without).map(([name, seconds]) => {
    const ratio = (everything[name]! / seconds).toFixed(2);
    return `${ROWS} rows, ${name}: ${seconds.toFixed(1)} s, with everything ${everything[name]!.toFixed(1)} s, ratio ${ratio}`;
  });
  const sealed = await copied(SEALED_ROWS, { history: true }, true);
  for (const [name, seconds] of Object.entries(sealed).filter(([what]) => what.includes('seal')))
    lines.push(`${SEALED_ROWS} rows, ${name}: ${seconds.toFixed(2)} s`);
  await writeFile(join(process.env.MEASURES ?? tmpdir(), 'copy-cost.txt'), `${lines.join('\n')}\n`);
  console.info(lines.join('\n'));
}, 3_600_000);
