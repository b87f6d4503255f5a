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
    for await (const page of readAhead(1, upTo(last))) pages.push(page);
    expect(pages).toEqual(Array.from({ length: last }, (_, place) => place + 1));
  });

  it('reads one page further than the one that is used', async () => {
    const read: number[] = [];
    for await (const page of readAhead(
      1,
      upTo(4, (number) => read.push(number)),
    )) {
      expect(read.at(-1) ?? 1).toBe(Math.min(page + 1, 4));
    }
  });

  it('fails after the page before the one that can not be read', async () => {
    const pages: number[] = [];
    const reading = (async () => {
      for await (const page of readAhead(1, () => () => Promise.reject(new Error('away')))) pages.push(page);
    })();
    await expect(reading).rejects.toThrow('away');
    expect(pages).toEqual([1]);
  });

  it('leaves no failure behind when it is left early', async () => {
    const failures: unknown[] = [];
    const note = (reason: unknown) => failures.push(reason);
    process.on('unhandledRejection', note);
    for await (const page of readAhead(1, () => () => Promise.reject(new Error('away')))) {
      if (page === 1) break;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(failures).toEqual([]);
  });

  it('reads nothing more for a client that is gone', async () => {
    const client = new AbortController();
    const read: number[] = [];
    const pages = readAhead(
      1,
      upTo(4, (page) => read.push(page)),
      client.signal,
    );
    await pages.next();
    client.abort();
    await expect(pages.next()).rejects.toThrow('aborted');
    expect(read).toEqual([2]);
  });
});
