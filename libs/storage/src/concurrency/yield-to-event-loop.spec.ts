import { noteServed, STREAM_PAUSE, withPauses, yieldToEventLoop } from './yield-to-event-loop';

describe('yieldToEventLoop', () => {
  it('lets one waiter go on in a turn of the event loop, in their order', async () => {
    const steps: string[] = [];
    const work = async (name: string) => {
      for (let step = 1; step <= 2; step++) {
        await yieldToEventLoop();
        steps.push(`${name}${step}`);
      }
    };
    const works = ['a', 'b', 'c'].map(work);
    const turns: number[] = [];
    while (steps.length < 6) {
      const before = steps.length;
      await new Promise((resolve) => setImmediate(resolve));
      turns.push(steps.length - before);
    }
    await Promise.all(works);
    expect(steps).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
    expect(Math.max(...turns)).toBe(1);
  });

  it.each([
    ['long work, while others are served', true, undefined, 2.9, Infinity],
    ['a stream, while others are served', true, STREAM_PAUSE, 7.9, Infinity],
    ['long work, alone', false, undefined, 0.9, 1.5],
    ['a stream, alone', false, STREAM_PAUSE, 0.9, 1.5],
  ])('%s: the pause after a step, in lengths of it', async (_, areServed, pause, least, most) => {
    const steps: { from: number; to: number }[] = [];
    const work = async () => {
      await yieldToEventLoop(pause);
      // As streams do between two chunks.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      const from = performance.now();
      while (performance.now() < from + 20) if (areServed) noteServed();
      steps.push({ from, to: performance.now() });
    };
    while (steps.length < 6) await Promise.all([work(), work()]);
    const pauses = steps.slice(1).map(({ from }, place) => {
      const before = steps[place]!;
      return (from - before.to) / (before.to - before.from);
    });
    // The machine may stop a process anywhere.
    const middle = pauses.toSorted((one, other) => one - other)[2];
    expect(middle).toBeGreaterThanOrEqual(least);
    expect(middle).toBeLessThanOrEqual(most);
  });

  it('leaves a waiter in the context in which it waits', async () => {
    const { AsyncLocalStorage } = await import('node:async_hooks');
    const context = new AsyncLocalStorage<string>();
    const found = ['a', 'b'].map((name) =>
      context.run(name, async () => {
        await yieldToEventLoop();
        return context.getStore();
      }),
    );
    expect(await Promise.all(found)).toEqual(['a', 'b']);
  });
});

describe('withPauses', () => {
  it('serves others between items that take long, and ends with the loop', async () => {
    let served = 0;
    const serve = () => {
      served += 1;
      next = setImmediate(serve);
    };
    let next = setImmediate(serve);
    const worked: number[] = [];
    for await (const item of withPauses([1, 2, 3, 4])) {
      const end = performance.now() + 20;
      while (performance.now() < end);
      expect(served).toBeGreaterThanOrEqual(worked.length);
      worked.push(item);
      if (item === 3) break;
    }
    clearImmediate(next);
    expect(worked).toEqual([1, 2, 3]);
  });

  it('does not wait between items that take no time', async () => {
    let served = 0;
    const other = setImmediate(() => (served += 1));
    for await (const item of withPauses([1, 2, 3])) void item;
    expect(served).toBe(0);
    clearImmediate(other);
  });
});
