import { setTimeout as sleep } from 'node:timers/promises';
import { type ChangeBatch, CursorExpiredError, CxpClient } from '../src';
import { answer, client, lines, server, type Step } from './answering-server';

const EXPIRED = answer(410, { detail: 'Cursor expired' });
const RESYNC = { op: 'resync', change: 5, reason: 'human_schedule', cursor: 'c-5' };

describe('changes', () => {
  const item = (change: number) => ({ op: 'delete', change, key: { identifier: `i-${change}` } });
  const line = (change: number) => ({ ...item(change), cursor: `c-${change}` });
  const end = (change: number) => ({ op: 'end', change, cursor: `c-${change}` });
  const page = (items: object[], change: number, more = false) =>
    answer(200, { items, change, next_cursor: `c-${change}`, has_more: more });
  const inShort = ({ items, cursor, change, startsOver, isCurrent }: ChangeBatch<{ change: number }>) => [
    items.map((each) => each.change),
    cursor,
    change,
    startsOver,
    isCurrent,
  ];
  const batches = async (cxp: CxpClient, options: object = {}) => {
    const read = [];
    for await (const batch of cxp.surveyResponses.changes({ once: true, batchSize: 2, ...options })) {
      read.push(inShort(batch));
    }
    return read;
  };
  const queries = () => server.requests.map(({ url }) => decodeURIComponent(url.split('?')[1] ?? ''));

  it('come as one stream first, then as pages, with the cursor of each batch', async () => {
    const cxp = await client([
      lines([line(1), line(2), line(3), end(3)]),
      page([], 3),
      page([item(4), item(5)], 5, true),
      page([item(6)], 7),
    ]);
    const feed = cxp.surveyResponses.changes({ batchSize: 2 });
    const seen = [];
    for (let count = 0; count < 5; count += 1) seen.push(inShort((await feed.next()).value));
    expect(seen).toEqual([
      [[1, 2], 'c-2', 2, 'first_reading', false],
      [[3], 'c-3', 3, null, true],
      // The service has answered that nothing is new.
      [[], 'c-3', 3, null, true],
      [[4, 5], 'c-5', 5, null, false],
      [[6], 'c-7', 7, null, true],
    ]);
    const waiting = 'cursor=c-3&limit=2&wait=25';
    expect(queries()).toEqual(['', waiting, waiting, 'cursor=c-5&limit=2&wait=25']);
  });

  it('go on after an expired cursor where the copy was brought in line, and start over if it was not', async () => {
    const cxp = await client([EXPIRED, lines([line(9), end(9)]), EXPIRED, lines([line(9), end(9)])]);
    expect(await batches(cxp, { cursor: 'old', onExpired: async () => 'of-digests' })).toEqual([
      [[9], 'c-9', 9, null, true],
    ]);
    expect(await batches(cxp, { cursor: 'old', onExpired: async () => null })).toEqual([
      [[9], 'c-9', 9, 'cursor_expired', true],
    ]);
    expect(queries()).toEqual(['cursor=old', 'cursor=of-digests', 'cursor=old', '']);
  });

  it('start over each time a cursor expires', async () => {
    const cxp = await client([
      lines([line(1), end(1)]),
      EXPIRED,
      lines([line(2), end(2)]),
      EXPIRED,
      lines([RESYNC, end(5)]),
      lines([line(4), end(4)]),
      EXPIRED,
      lines([line(5), end(5)]),
    ]);
    const feed = cxp.surveyResponses.changes();
    const reasons = [];
    for (let count = 0; count < 4; count += 1) {
      const { value } = await feed.next();
      if (value.startsOver) reasons.push([value.change, value.startsOver]);
    }
    expect(reasons).toEqual([
      [1, 'first_reading'],
      [2, 'cursor_expired'],
      [4, 'human_schedule'],
      [5, 'cursor_expired'],
    ]);
  });

  it('start over after a 410 to a stream that is continued before its first batch', async () => {
    const cxp = await client([lines([line(1)], { cut: true }), EXPIRED, lines([line(9), end(9)])]);
    expect(await batches(cxp)).toEqual([[[9], 'c-9', 9, 'cursor_expired', true]]);
    expect(queries()).toEqual(['', 'cursor=c-1', '']);
  });

  it('fail after a 410 to a request without a cursor', async () => {
    const cxp = await client([EXPIRED]);
    await expect(batches(cxp, { cursor: 'old' })).rejects.toThrow(CursorExpiredError);
    expect(queries()).toEqual(['cursor=old', '']);
  });

  it('go on after a stream that ends without its end line', async () => {
    const cut = [lines([line(1)]), lines([]), lines([line(2), end(2)])];
    const cxp = await client([...cut, ...cut]);
    expect(await batches(cxp)).toEqual([
      [[1, 2], 'c-2', 2, 'first_reading', false],
      [[], 'c-2', 2, null, true],
    ]);
    const read = [];
    for await (const { cursor } of cxp.surveyResponses.changeLines({ once: true })) read.push(cursor);
    expect(read).toEqual(['c-1', 'c-2']);
    expect(queries()).toEqual(['', 'cursor=c-1', 'cursor=c-1', '', 'cursor=c-1', 'cursor=c-1']);
  });

  it('come in lines, gathered so that a follower stays below the limits', async () => {
    const times: number[] = [];
    const timed =
      (step: Step): Step =>
      (response) => {
        times.push(performance.now());
        return step(response);
      };
    const cxp = await client([
      timed(lines([line(1), end(1)])),
      timed(page([item(2)], 2)),
      lines([line(2), end(2)]),
    ]);
    const feed = cxp.surveyResponses.changeLines({});
    for (const change of [1, 2]) expect((await feed.next()).value).toMatchObject({ change });
    await feed.return(undefined);
    // Timers may be a millisecond early.
    expect(times[1]! - times[0]!).toBeGreaterThan(58);
  });

  it('end with the end line, also if the connection is cut there', async () => {
    const cxp = await client([lines([line(1), end(1)], { cut: true })]);
    expect(await batches(cxp)).toEqual([[[1], 'c-1', 1, 'first_reading', true]]);
    expect(queries()).toEqual(['']);
  });

  it('are read to the end of the answer by a slow reader, too: the next call has the same connection', async () => {
    const connections = new Set<unknown>();
    const texts = (rows: object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    const rest = [...Array.from({ length: 400 }, (_, number) => line(number + 1)), end(401)];
    const cxp = await client([
      async (response) => {
        connections.add(response.socket);
        response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(texts([line(0)]));
        await sleep(10);
        response.write(texts(rest.slice(0, -1)));
        response.end(texts(rest.slice(-1)));
      },
    ]);
    for (let calls = 0; calls < 3; calls += 1) {
      for await (const { change } of cxp.surveyResponses.changeLines({ once: true })) {
        if (change === 0) await sleep(50);
      }
      await sleep(20);
    }
    // On a busy machine, fetch may give one back later.
    expect(connections.size).toBeLessThan(3);
  });

  it('bring what is known by a resync, with the cursor before it, and then start over', async () => {
    const cxp = await client([lines([line(4), RESYNC, line(6), end(6)]), lines([line(4), line(6), end(6)])]);
    const onExpired = async () => 'of-digests';
    expect(await batches(cxp, { cursor: 'c-3', batchSize: 9, onExpired })).toEqual([
      [[4, 6], 'c-3', 6, null, false],
      [[4, 6], 'c-6', 6, 'human_schedule', true],
    ]);
    expect(queries()).toEqual(['cursor=c-3', '']);
  });

  it('start over after a resync, in a page or in the stream', async () => {
    const cxp = await client([
      lines([RESYNC, end(5)]),
      lines([line(6), end(6)]),
      page([RESYNC], 7),
      lines([line(8), end(8)]),
    ]);
    const feed = cxp.surveyResponses.changes({ cursor: 'c-4' });
    expect(inShort((await feed.next()).value)).toEqual([[6], 'c-6', 6, 'human_schedule', true]);
    expect(inShort((await feed.next()).value)).toEqual([[8], 'c-8', 8, 'human_schedule', true]);
  });

  it.each([
    ['a resync that begins every reading', [lines([RESYNC, end(5)])], 'human_schedule'],
    [
      'a cursor that expires after every cut',
      Array.from({ length: 20 }, (_, n) => (n % 2 ? EXPIRED : lines([line(1)], { cut: true }))),
      'cursor_expired',
    ],
  ])(
    'fail, in one line, after %s',
    async (_, steps, reason) => {
      const cxp = await client(steps, { maxDelayMs: 1 });
      await expect(batches(cxp)).rejects.toThrow(
        `/external/survey-response-changes starts over again and again (${reason})`,
      );
    },
    30_000,
  );

  it('of a service that does not wait are not asked for all the time', async () => {
    const cxp = await client([lines([end(3)]), page([], 3)]);
    const pages = batches(cxp, { once: false, signal: AbortSignal.timeout(1_500) });
    await expect(pages).rejects.toThrow('timeout');
    expect(server.requests.length).toBeLessThanOrEqual(3);
  });
});
