import { withPauses } from './yield-to-event-loop';

describe('withPauses', () => {
  it('gives each item once, in order', async () => {
    const items: number[] = [];
    for await (const item of withPauses([1, 2, 3])) items.push(item);
    expect(items).toEqual([1, 2, 3]);
  });

  it('serves others between items that take long, and ends with the loop', async () => {
    let served = 0;
    const serve = () => {
      served += 1;
      next = setImmediate(serve);
    };
    let next = setImmediate(serve);
    let worked = 0;
    for await (const item of withPauses([1, 2, 3, 4])) {
      const end = performance.now() + 20;
      while (performance.now() < end);
      expect(served).toBeGreaterThanOrEqual(worked);
      worked += 1;
      if (item === 3) break;
    }
    clearImmediate(next);
    expect(worked).toBe(3);
  });

  it('does not wait between items that take no time', async () => {
    let served = 0;
    const other = setImmediate(() => (served += 1));
    for await (const item of withPauses([1, 2, 3])) void item;
    expect(served).toBe(0);
    clearImmediate(other);
  });
});
