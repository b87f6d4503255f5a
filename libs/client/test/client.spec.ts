import { getEventListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  ApiError,
  ConnectionError,
  CursorExpiredError,
  CxpClient,
  type CxpClientOptions,
  CxpError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  RateLimitError,
  UnauthorizedError,
  UnavailableError,
} from '../src';
import { chatEvents, ChatSocket } from '../src/chat';
import { answer, beginning, client, lines, reset, server, slowly, text, type Step } from './answering-server';

const LINK = { id: 1, public_id: 'p', name: 'n', metadata_mapping: [], created: '', updated: '' };
const LIMITED = answer(429, { detail: 'Rate limit exceeded' }, { 'retry-after': '1' });
const DAYS = { startDate: '2026-01-05', endDate: '2026-01-06' };
const WINDOW = { survey_campaign_id: 'c', start_date: '2026-01-01', end_date: '2026-01-31' };

it('warns once of parameters that the API does not know', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const ignored = answer(200, { items: [] }, { 'x-ignored-parameters': 'status' });
  const cxp = await client([ignored, ignored, answer(200, { items: [] })]);
  for (let call = 0; call < 3; call += 1) await cxp.surveyCampaigns.page();
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/\/external\/survey-campaigns: unknown parameters are ignored: status$/)],
  ]);
  warn.mockRestore();
});

describe('retries', () => {
  it('a 429 after the seconds of Retry-After, a 503, a connection that is reset or lost in a body', async () => {
    const unavailable = answer(503, { detail: 'Service Unavailable' }, { 'retry-after': '0' });
    const cxp = await client([LIMITED, unavailable, reset(), beginning({ cut: true }), answer(200, LINK)]);
    const start = performance.now();
    expect(await cxp.surveyLinks.create('c', { name: 'n' })).toEqual({ ...LINK, url: null });
    expect(performance.now() - start).toBeGreaterThanOrEqual(1_000);
    expect(server.requests).toHaveLength(5);
  });

  it('as often as it may, then the error is thrown', async () => {
    const cxp = await client([answer(429, {}, { 'retry-after': '0' })], { maxRetries: 2 });
    await expect(cxp.surveyCampaigns.page()).rejects.toThrow(RateLimitError);
    expect(server.requests).toHaveLength(3);
  });

  it('not, if Retry-After asks for longer than it may wait', async () => {
    const cxp = await client([answer(503, {}, { 'retry-after': '3600' })]);
    await expect(cxp.surveyCampaigns.page()).rejects.toThrow(UnavailableError);
    expect(server.requests).toHaveLength(1);
  });

  it.each([302, 308, 400, 401, 403, 404, 410, 413, 422, 500])('not after %d', async (status) => {
    const cxp = await client([answer(status, {}, { location: '/elsewhere' })]);
    await expect(cxp.surveyCampaigns.page()).rejects.toThrow(ApiError);
    expect(server.requests).toHaveLength(1);
  });

  describe('a session without a user id, of which every call makes a new one', () => {
    const unavailable = answer(503, {}, { 'x-error-code': 'unavailable', 'retry-after': '0' });

    const created = answer(201, { sessionId: 's' });

    it.each([
      ['a lost connection', reset(), ConnectionError],
      ['a connection that is lost in the body', beginning({ cut: true }), ConnectionError],
      ['a 503', unavailable, UnavailableError],
      ['a 503 of a proxy', answer(503, {}, { 'retry-after': '0' }), UnavailableError],
    ])('not after %s', async (_, step, Kind) => {
      const cxp = await client([step, created]);
      await expect(cxp.sessions.create({ installedSourceId: 1 })).rejects.toThrow(Kind);
      expect(server.requests).toHaveLength(1);
    });

    it.each([
      [429, 'rate_limited'],
      [503, 'overloaded'],
    ])('after a %d %s, which nothing had begun before', async (status, code) => {
      const refused = answer(status, {}, { 'x-error-code': code, 'retry-after': '0' });
      const cxp = await client([refused, created]);
      expect(await cxp.sessions.create({ installedSourceId: 1 })).toEqual({ sessionId: 's' });
    });

    it('with one after a lost connection and a 503', async () => {
      const cxp = await client([reset(), unavailable, created]);
      expect(await cxp.sessions.create({ installedSourceId: 1, user: { id: 'u' } })).toEqual({
        sessionId: 's',
      });
    });
  });

  it('ends at once when the signal is aborted, with its reason', async () => {
    const cxp = await client([answer(429, {}, { 'retry-after': '60' })]);
    const abort = new AbortController();
    const call = cxp.surveyCampaigns.page({}, { signal: abort.signal });
    while (server.requests.length === 0) await new Promise(setImmediate);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(call).rejects.toBe(reason);
  });

  it.each<[string, Step]>([
    ['does not come', () => undefined],
    ['stops in its body', beginning({ cut: false })],
  ])('an answer that %s is a ConnectionError in time', async (_, step) => {
    const cxp = await client([step], { maxRetries: 0 }, 50);
    await expect(cxp.surveyCampaigns.page()).rejects.toMatchObject({
      constructor: ConnectionError,
      message: expect.stringMatching(
        /^GET http:..127.0.0.1:[0-9]+.external.survey-campaigns: no answer within 50 ms$/,
      ) as string,
    });
  });

  it('not an answer that goes on, however long it takes', async () => {
    const cxp = await client([slowly({ items: [] }, 6, 250)], { maxRetries: 1 }, 1_000);
    expect(await cxp.surveyCampaigns.page()).toEqual({ items: [] });
  });
});

async function all(rows: AsyncIterable<unknown>): Promise<unknown[]> {
  const read = [];
  for await (const row of rows) read.push(row);
  return read;
}

describe('an answer that is too large, however few bytes are sent,', () => {
  const bomb = (mib: number, start: string) => {
    const zeros = Buffer.alloc(mib * 1024 ** 2, '0');
    const body = gzipSync(Buffer.concat([Buffer.from(start), zeros]), { level: 1 });
    return (response: ServerResponse) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(body);
  };

  it('is refused once, with one line', async () => {
    const { conversationSessions } = await client([bomb(257, '{"items":"')]);
    await expect(conversationSessions.page(DAYS)).rejects.toThrow(/^GET \S+: an answer above 256 MiB$/);
    expect(server.requests).toHaveLength(1);
  }, 30_000);

  it('is refused as a line of a stream', async () => {
    const { surveyResponses } = await client([bomb(66, '{"op":"')]);
    await expect(surveyResponses.changes({ once: true }).next()).rejects.toThrow(
      /^GET \S+: a line above 64 MiB$/,
    );
    expect(server.requests).toHaveLength(1);
  }, 30_000);
});

describe('errors', () => {
  const SENTENCES = { message: ['a must be b', 'c is d'], error: 'Bad Request', statusCode: 400 };
  const ITEMS = { detail: [{ loc: ['query', 'startDate'], msg: 'Field required', type: 'missing' }] };

  it.each([
    [401, { message: 'Unauthorized', statusCode: 401 }, UnauthorizedError, 'Unauthorized'],
    [403, { detail: 'Permission denied' }, ForbiddenError, 'Permission denied'],
    [404, { detail: { message: 'not_found' } }, NotFoundError, 'not_found'],
    [410, { detail: 'Cursor expired' }, CursorExpiredError, 'Cursor expired'],
    [413, 'Too Large', ApiError, 'Too Large'],
    [422, SENTENCES, InvalidRequestError, 'a must be b; c is d'],
    [422, ITEMS, InvalidRequestError, 'Field required'],
    [500, {}, ApiError, 'no description'],
    [404, '<!DOCTYPE HTML>\n<html>', NotFoundError, 'a page of HTML: is the URL that of the API?'],
  ])('%d %j has a class of its own', async (status, body, Kind, sentence) => {
    const [requestId, code, detail] = ['r-1', 'some_code', '$survey_link:create'];
    const headers = { 'x-request-id': requestId, 'x-error-code': code, 'x-error-detail': detail };
    const cxp = await client([answer(status, body, headers), answer(status, body)]);
    const error = await cxp.surveyCampaigns.page().catch((caught: unknown) => caught as ApiError);
    expect(error).toBeInstanceOf(Kind);
    const cause = status === 401 || status === 403 ? ': some_code ($survey_link:create)' : '';
    const { host } = new URL(server.url);
    const message = `${status} ${sentence}${cause} (${host}, request r-1)`;
    expect(error).toMatchObject({ status, body, requestId, code, detail, message, name: Kind.name });
    await expect(cxp.surveyCampaigns.page()).rejects.toThrow(new Error(`${status} ${sentence} (${host})`));
  });

  it.each([
    [401, 'unknown_token', 'the token does not exist, or was revoked'],
    [401, 'missing_header', 'a header is missing or malformed'],
    [404, 'route_not_found', 'the service has no such path: is its URL right?'],
  ])('%d with the code %s says why', async (status, code, cause) => {
    const cxp = await client([answer(status, {}, { 'x-error-code': code })]);
    await expect(cxp.surveyCampaigns.page()).rejects.toThrow(
      new Error(`${status} no description: ${cause} (${new URL(server.url).host})`),
    );
  });

  it('422 lists everything that is wrong, in both families', async () => {
    const cxp = await client([answer(422, ITEMS), answer(422, SENTENCES)]);
    const items = () => cxp.surveyCampaigns.page().catch((caught: InvalidRequestError) => caught.items);
    expect(await items()).toEqual(ITEMS.detail);
    expect(await items()).toEqual(SENTENCES.message.map((msg) => ({ loc: [], msg, type: 'invalid' })));
  });

  const PAGE = '<!DOCTYPE html><p>Log in</p>';
  const HTML = 'a page of HTML: is the URL that of the API?';
  const AS_HTML = { 'content-type': 'text/html; charset=utf-8' };
  const OTHER = '200 without what the API answers:';
  const page = (cxp: CxpClient) => cxp.surveyCampaigns.page();
  const listed = async (cxp: CxpClient) => all(cxp.surveyCampaigns.list());
  const streamed = async (cxp: CxpClient) => all(cxp.conversationSessions.stream(DAYS));
  const followed = async (cxp: CxpClient) => all(cxp.conversationSessions.changes());

  const FOREIGN: [string, Step, string, ((cxp: CxpClient) => Promise<unknown>)[]][] = [
    ['HTML', text(200, PAGE, AS_HTML), `${OTHER} ${HTML}`, [page, listed, streamed, followed]],
    ['HTML as text', text(200, PAGE), `${OTHER} ${HTML}`, [page, listed]],
    ['HTML of a gateway', text(502, PAGE, AS_HTML), `502 ${HTML}`, [page, streamed]],
    ['a text', text(200, 'x'.repeat(600)), `${OTHER} ${'x'.repeat(500)}`, [page]],
    ['no object', answer(200, []), `${OTHER} `, [page, listed]],
    ['another object', answer(200, { error: '?' }), `${OTHER} no description`, [page, listed]],
    ['other lines', lines([{ error: '?' }]), `${OTHER} no description`, [streamed, followed]],
    ['lines of text', text(200, 'x\n'), `${OTHER} x`, [streamed, followed]],
  ];

  it.each(
    FOREIGN.flatMap(([what, step, message, calls]) =>
      calls.map((call) => [what, call.name, step, message, call] as const),
    ),
  )('%s instead of what is %s is no answer of the API, and names the host', async (...row) => {
    const [, , step, message, call] = row;
    const cxp = await client([step]);
    await expect(call(cxp)).rejects.toThrow(new CxpError(`${message} (${new URL(server.url).host})`));
    expect(server.requests).toHaveLength(1);
  });

  it.each<[string, Step]>([
    ['that is lost', reset()],
    ['that is lost in a stream', lines([{ cursor: 'c' }], { cut: true })],
    ['that ends in a line', lines([{ cursor: 'c' }], { rest: '{' })],
    ['that quotes the token', text(404, 'Bearer cxp_1')],
  ])('an answer %s: the error names the host, and nothing shows the token', async (_, step) => {
    const cxp = await client([step], { maxRetries: 0 });
    const error = await streamed(cxp).catch((caught: unknown) => caught as CxpError);
    expect(error).toBeInstanceOf(CxpError);
    expect((error as CxpError).message).toContain(new URL(server.url).host);
    expect(inspect([error, cxp], { depth: null, showHidden: true })).not.toContain('cxp_1');
    expect(JSON.stringify(cxp)).not.toContain('cxp_1');
  });
});

describe('what can never be sent is refused when the client is made', () => {
  const NO_URL = 'is no http:// or https:// URL, or has a user, a query or a fragment';
  const urls = {};

  it.each<[string, Partial<CxpClientOptions>, string]>([
    ...['cxp_1\n', 'cxp_1\nx: y', 'cxp_1\u200b', 'cxp 1', 'c\u00fc'].map(
      (token): [string, object, string] => ['a token', { token }, 'token has a character that no token has'],
    ),
    ['an organization', { organizationId: 'a\nb' }, 'organizationId is no printable ASCII text'],
    ['an organization', { organizationId: 'Hà Nội' }, 'organizationId is no printable ASCII text'],
    ['a kind of token', { authType: 'account\n' as 'account' }, 'authType is token or account'],
    ...[
      'localhost:1',
      'cxp_1',
      '',
      'ftp://a',
      'http://',
      'http://a b',
      'http://a:b',
      'http://u:cxp_1@a',
      'http://a?b',
      'http://a#b',
      'http://a\n',
    ].map((webchat): [string, object, string] => [
      'an address',
      { urls: { webchat } },
      `urls.webchat ${NO_URL}`,
    ]),
  ])('%s: %j', (_, options, message) => {
    const make = () => new CxpClient({ organizationId: 'acme', token: 't', urls, ...options });
    expect(make).toThrow(new CxpError(message));
  });

  it('the token and the address of a chat, too', async () => {
    const session = { conversationId: 'c', sessionId: 's', sessionToken: 't\n', websocketUrl: 'ws://a' };
    const error = new CxpError('session.sessionToken has a character that no token has');
    await expect(chatEvents({ url: 'http://a', session })).rejects.toThrow(error);
    const renewToken = () => Promise.resolve(null);
    expect(() => new ChatSocket(session, { renewToken })).toThrow(error);
    const elsewhere = { ...session, sessionToken: 't', websocketUrl: 'http://a' };
    expect(() => new ChatSocket(elsewhere, { renewToken })).toThrow(
      new CxpError('session.websocketUrl is no ws:// or wss:// URL'),
    );
  });

  it('a body or an area without an address only when it is called, and once', async () => {
    const cxp = await client([answer(200, {})]);
    const body = { name: 1n } as unknown as { name: string };
    await expect(cxp.surveyLinks.create('c', body)).rejects.toThrow(
      /^POST http:.*\/links: the body can't be sent: /,
    );
    await expect(
      new CxpClient({ organizationId: 'acme', token: 't', urls }).sessions.refresh('s'),
    ).rejects.toThrow(new CxpError('urls.webchat is not set'));
    expect(server.requests).toHaveLength(0);
  });
});

it('half of a character names nothing', async () => {
  const cxp = await client([answer(200, { items: [] })]);
  await cxp.conversationSessions.ofConversation('\ud800');
  expect(server.requests[0]!.url).toMatch(/\/%EF%BF%BD$/);
});

const cursors = () => server.requests.map(({ url }) => new URLSearchParams(url.split('?')[1]).get('cursor'));

it('lists rows by cursors, which no conversation that changes meanwhile moves', async () => {
  const page = (ids: string[], nextCursor: string | null) =>
    answer(200, { items: ids.map((conversationId) => ({ conversationId })), perPage: 2, nextCursor });
  const cxp = await client([
    page(['a', 'b'], 'after-b'),
    page(['c', 'a'], 'after-a'),
    page(['d'], 'after-d'),
  ]);
  const listed = [];
  for await (const row of cxp.conversationSessions.list(DAYS)) listed.push(row.conversationId);
  expect(listed).toEqual(['a', 'b', 'c', 'a', 'd']);
  expect(cursors()).toEqual(['', 'after-b', 'after-a']);
});

describe('streams', () => {
  const row = (n: number) => ({ sessionIndex: n, cursor: `cursor-${n}` });
  const indexes = async (cxp: CxpClient) => {
    const seen: (number | null)[] = [];
    for await (const { sessionIndex } of cxp.conversationSessions.stream(DAYS)) seen.push(sessionIndex);
    return seen;
  };

  it('go on after the last row when they are cut, in a line too', async () => {
    const cxp = await client([
      lines([row(0), row(1)], { cut: true, rest: '{"sessionIndex":2,"cur' }),
      lines([row(2)], { rest: '{"sessionIndex":3' }),
      lines([row(3)]),
    ]);
    expect(await indexes(cxp)).toEqual([0, 1, 2, 3]);
    expect(cursors()).toEqual([null, 'cursor-1', 'cursor-2']);
  });

  it('fail when they are cut again and again without a row between', async () => {
    const cxp = await client([lines([row(0)], { cut: true }), lines([], { cut: true })], {
      maxRetries: 1,
      maxDelayMs: 1,
    });
    await expect(indexes(cxp)).rejects.toThrow(ConnectionError);
    expect(server.requests).toHaveLength(2);
  });

  it('end at once when the signal is aborted, with its reason, and leave nothing in it', async () => {
    const cxp = await client([
      lines([row(0)]),
      (response) => response.writeHead(200).write(`${JSON.stringify(row(1))}\n`),
    ]);
    const abort = new AbortController();
    const entries = () => getEventListeners(abort.signal, 'abort').length;
    const { signal } = abort;
    for await (const _ of cxp.conversationSessions.stream(DAYS, { signal })) expect(entries()).toBe(1);
    expect(entries()).toBe(0);
    const stream = cxp.conversationSessions.stream(DAYS, { signal });
    await stream.next();
    const next = stream.next();
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(next).rejects.toBe(reason);
    expect(entries()).toBe(0);
  });

  it('close their connection when the loop is left', async () => {
    let closed: () => void;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const cxp = await client([
      (response) => {
        response.on('close', closed).writeHead(200);
        response.write(`${JSON.stringify(row(0))}\n`);
      },
    ]);
    for await (const _ of cxp.conversationSessions.stream(DAYS)) break;
    await isClosed;
  });
});

it('decodes an export, and reads its headers', async () => {
  const headers = {
    'x-total-count': '7001',
    'x-export-truncated': 'true',
    'x-export-start-date': '2026-01-02',
  };
  const cxp = await client([
    (response) => response.writeHead(200, headers).end(Buffer.from('\ufeffCâu hỏi\t"a"\r\n', 'utf16le')),
    answer(200, { items: [{ 'Response ID': 'r' }] }, headers),
  ]);
  const facts = { totalCount: 7001, isTruncated: true, startDate: '2026-01-02' };
  const text = 'Câu hỏi\t"a"\r\n';
  expect(await cxp.surveyResponses.exportText(WINDOW)).toEqual({ text, ...facts });
  expect(await cxp.surveyResponses.exportRows(WINDOW)).toEqual({ rows: [{ 'Response ID': 'r' }], ...facts });
});

it('reads the public address of a link from the header', async () => {
  const cxp = await client([
    answer(200, LINK, { link: '<https://s.example.com/s/p>; rel="alternate"; type="text/html"' }),
  ]);
  expect((await cxp.surveyLinks.create('c', { name: 'n' })).url).toBe('https://s.example.com/s/p');
});
