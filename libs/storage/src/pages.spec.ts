import { readAhead } from './pages';

/** Pages 1 to `last`. */
function upTo(last: number, onRead: (page: number) => void = () => undefined) {
  return (page: number) => {
    if (page === last) return undefined;
    return async () => {
      onRead(page + 1);
      return page + 1;
    };
  };
}

describe('readAhead', () => {
  it.each([1, 2, 5])('has all %d pages in their order', async (last) => {
    const pages: number[] = [];
    for await (const page of readAhead('a', 1, upTo(last))) pages.push(page);
    expect(pages).toEqual(Array.from({ length: last }, (_, place) => place + 1));
  });

  it('reads one page further than the one that is used', async () => {
    const read: number[] = [];
    for await (const page of readAhead(
      'a',
      1,
      upTo(4, (number) => read.push(number)),
    )) {
      expect(read.at(-1) ?? 1).toBe(Math.min(page + 1, 4));
    }
  });

  it('fails after the page before the one that can not be read', async () => {
    const pages: number[] = [];
    const reading = (async () => {
      for await (const page of readAhead('a', 1, () => () => Promise.reject(new Error('away'))))
        pages.push(page);
    })();
    await expect(reading).rejects.toThrow('away');
    expect(pages).toEqual([1]);
  });

  it('leaves no failure behind when it is left early', async () => {
    const failures: unknown[] = [];
    const note = (reason: unknown) => failures.push(reason);
    process.on('unhandledRejection', note);
    for await (const page of readAhead('a', 1, () => () => Promise.reject(new Error('away')))) {
      if (page === 1) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(failures).toEqual([]);
  });

  it('does not read what waits for a stream that is stopped', async () => {
    const ends: ((page: number) => void)[] = [];
    const stalled = () => () => new Promise<number>((resolve) => ends.push(resolve));
    const live = [1, 2, 3].map(() => readAhead('d', 1, stalled));
    await Promise.all(live.map((stream) => stream.next()));
    const [client, read] = [new AbortController(), jest.fn(() => Promise.resolve(2))];
    const left = readAhead('d', 1, () => read, client.signal);
    await left.next();
    const next = left.next();
    client.abort();
    ends[0]!(2);
    await expect(next).rejects.toThrow('aborted');
    expect(read).not.toHaveBeenCalled();
    ends.forEach((end) => end(2));
  });

  it('makes three reads of an organization at once, and those of others beside', async () => {
    const ends: (() => void)[] = [];
    const stalled = () => () => new Promise<number>((resolve) => ends.push(() => resolve(2)));
    const streams = ['b', 'b', 'b', 'b', 'c'].map((organizationId) => readAhead(organizationId, 1, stalled));
    await Promise.all(streams.map((stream) => stream.next()));
    expect(ends).toHaveLength(4);
    ends[0]!();
    await streams[0]!.next();
    expect(ends.length).toBeGreaterThanOrEqual(5);
    ends.forEach((end) => end());
  });
});
