import { readAhead } from './pages';

/** Pages 1 to `last`. */
function upTo(last: number, onRead: (page: number) => void) {
  return (page: number) => {
    if (page === last) return undefined;
    return async () => {
      onRead(page + 1);
      return page + 1;
    };
  };
}

describe('readAhead', () => {
  it.each([1, 2, 5])('has all %d pages in their order, and reads one further than is used', async (last) => {
    const read = [1];
    const pages: number[] = [];
    const next = upTo(last, (page) => read.push(page));
    for await (const page of readAhead(1, next)) {
      pages.push(page);
      expect(read.at(-1)).toBe(Math.min(page + 1, last));
    }
    expect(pages).toEqual(Array.from({ length: last }, (_, place) => place + 1));
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
