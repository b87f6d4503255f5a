import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { connect, isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { WebSocket } from 'ws';

export type Finding = readonly [result: 'ok' | 'red' | 'warning' | 'not checked', detail: string];

/** Of each area a call, what else is public, and its feed of changes. */
export const AREAS: Readonly<Record<string, { call: string; page?: string; feed?: string }>> = {
  webchat: { call: '/external/conversations/edge-check/events', page: '/websocket/edge-check' },
  'contact-center': {
    call: '/external/conversation-sessions',
    feed: '/external/conversation-session-changes',
  },
  survey: {
    call: '/external/survey-campaigns',
    page: '/s/edge-check',
    feed: '/external/survey-response-changes',
  },
};

export interface EdgeCheckOptions {
  /** Where a service answers `/metrics`. */
  readonly internal?: string;
  readonly token?: string;
  readonly organization?: string;
}

const WRONG = { authorization: 'Bearer edge-check', 'organization-id': 'edge-check', 'auth-type': 'token' };
/** The services have no such path: what is in work there is of this check. */
const UNKNOWN = '/external/edge-check';
const BODY_LIMIT_BYTES = 16 * 1_024 * 1_024;
/** More than the failed authentications that one address has in a second. */
const BURST = 25;
const ROUNDS = 3;
const LONG_REQUEST_SECONDS = 25;
const HALF_SENT_MS = 45_000;
/** A stream that is shorter shows nothing. */
const STREAM_BYTES = 4 * 1_024 * 1_024;

/** @returns the area whose service answers here, if one does */
export async function areaAt(url: URL): Promise<string | undefined> {
  for (const [area, { call }] of Object.entries(AREAS)) {
    const { code } = await ask(url, call, WRONG);
    if (code && code !== 'route_not_found') return area;
  }
  return undefined;
}

/** Asks a gateway what a client could ask: some 150 requests, in less than a minute. @returns what was found, by its subject */
export async function checkEdge(
  url: URL,
  area: string,
  options: EdgeCheckOptions,
): Promise<[string, Finding][]> {
  const refusals = await refusedAtOnce(url, AREAS[area]!.call);
  // For a second the limit of failed authentication refuses everything else of this address.
  await sleep(1_200);
  // Alone, for its time tells.
  const streamed = await stream(url, area, options);
  const checks: Record<string, Promise<Finding>> = {
    // An invalid certificate has failed before.
    TLS: found(url.protocol === 'https:', `${url.protocol} tokens and messages are encrypted only by https`),
    HSTS: strictTransport(url, refusals[0]!),
    paths: paths(url, area),
    'whole bodies': wholeBodies(url, options.internal),
    'body limit': bodyLimit(url),
    'client address': clientAddress(refusals),
    sockets: sockets(url, area),
    streams: Promise.resolve(streamed.finding),
    'long requests': longRequest(url, streamed),
    headers: passedHeaders(refusals),
    'slow clients': slowClients(url),
  };
  const failed = (error: Error): Finding => ['red', failureOf(error)];
  return Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await check.catch(failed)]));
}

type Answer = Awaited<ReturnType<typeof ask>>;
const found = async (isRight: boolean, detail: string): Promise<Finding> => [isRight ? 'ok' : 'red', detail];

async function strictTransport({ protocol }: URL, { headers }: Answer): Promise<Finding> {
  if (protocol !== 'https:') return ['not checked', 'needs TLS'];
  const value = headers.get('strict-transport-security');
  return value ? ['ok', value] : ['warning', 'no Strict-Transport-Security: a first visit may go by http'];
}

async function paths(url: URL, area: string): Promise<Finding> {
  const wrong: string[] = [];
  const { call, page = call } = AREAS[area]!;
  for (const path of [call, page])
    if (!(await ask(url, path, WRONG)).code) wrong.push(`${path} is not routed`);
  for (const path of ['/docs', '/llms.txt'])
    if ((await ask(url, path)).status !== 200) wrong.push(`${path} is not routed`);
  for (const path of ['/internal/records', '/metrics', '/health/ready']) {
    const { code, status, headers } = await ask(url, path);
    const isPage = headers.get('content-type')?.startsWith('text/html');
    if (code || (status === 200 && !isPage)) wrong.push(`${path} is open to everybody`);
  }
  return wrong.length ? ['red', wrong.join('; ')] : ['ok', 'public paths reach the service, others do not'];
}

async function wholeBodies(url: URL, internal: string | undefined): Promise<Finding> {
  const before = await inWork(internal);
  const sent = await Promise.all(Array.from({ length: 8 }, () => send(url, halfBody(url))));
  let most = before;
  for (let look = 0; look < 8; look += 1) {
    await sleep(300);
    most = Math.max(most, await inWork(internal));
  }
  const isAnswered = sent.some(({ answers }) => answers.length);
  for (const { socket } of sent) socket.destroy();
  if (isAnswered || most - before >= sent.length / 2) return ['red', 'half a body reaches the service'];
  return internal ? ['ok', 'half a body does not reach the service'] : ['not checked', 'needs --internal'];
}

async function bodyLimit(url: URL): Promise<Finding> {
  const { status } = await ask(url, UNKNOWN, {}, ' '.repeat(BODY_LIMIT_BYTES + 1));
  return found(status === 413, `16 MiB and a byte are answered ${status}`);
}

/** Failed authentications, until one is beyond the limit: the first ones open connections, later ones come faster. */
async function refusedAtOnce(url: URL, call: string): Promise<(Answer & { id: string })[]> {
  const refusals: (Answer & { id: string })[] = [];
  for (let round = 0; round < ROUNDS && !refusals.some(({ status }) => status === 429); round += 1) {
    const requests = Array.from({ length: BURST }, async (_, n) => {
      const id = randomUUID();
      const headers = { ...WRONG, 'x-request-id': id, 'x-forwarded-for': `203.0.113.${n + BURST * round}` };
      return { id, ...(await ask(url, call, headers)) };
    });
    refusals.push(...(await Promise.all(requests)));
  }
  return refusals;
}

async function clientAddress(refusals: Awaited<ReturnType<typeof refusedAtOnce>>): Promise<Finding> {
  const left = ({ headers }: Answer) =>
    Number(headers.get('ratelimit-limit')) - Number(headers.get('ratelimit-remaining'));
  if (!refusals.some(({ headers }) => headers.has('ratelimit-remaining')))
    return ['not checked', 'RateLimit-Remaining does not arrive'];
  const isBelieved = refusals.every((refusal) => left(refusal) === 1);
  return found(
    !isBelieved,
    `a forged X-Forwarded-For ${isBelieved ? 'has a limit of its own' : 'changes nothing'}`,
  );
}

async function passedHeaders(refusals: Awaited<ReturnType<typeof refusedAtOnce>>): Promise<Finding> {
  if (refusals.some(({ id, headers }) => headers.get('x-request-id') !== id))
    return ['red', 'the x-request-id of a request does not come back'];
  const other = refusals.find(({ status }) => ![401, 405, 429].includes(status));
  if (other) return ['red', `too many requests are answered ${other.status}`];
  const limited = refusals.find(({ status }) => status === 429);
  if (!limited) return ['not checked', `${refusals.length} failed authentications are not limited`];
  return found(limited.headers.has('retry-after'), 'x-request-id, and 429 with Retry-After');
}

async function sockets(url: URL, area: string): Promise<Finding> {
  if (area !== 'webchat') return ['not checked', 'the area has none'];
  const socket = new WebSocket(new URL(AREAS.webchat!.page!, url), ['webchat.v1', 'bearer.wrong']);
  socket.on('error', () => undefined);
  const refused = once(socket, 'unexpected-response') as Promise<[ClientRequest, IncomingMessage]>;
  const [request, { statusCode, headers }] = await refused;
  request.destroy();
  const code = headers['x-error-code'];
  if (code === 'unknown_token') return ['ok', 'an upgrade and its subprotocols arrive'];
  return ['red', code === 'missing_header' ? 'subprotocols are lost' : `an upgrade is lost: ${statusCode}`];
}

/** Reads all changes. @returns what is asked to wait for one more, if there is a feed */
async function stream(url: URL, area: string, { token, organization }: EdgeCheckOptions) {
  const { feed } = AREAS[area]!;
  const skipped: Finding = ['not checked', feed ? 'needs CXP_TOKEN and --organization' : 'the area has none'];
  if (!feed || !token || !organization) return { finding: skipped };
  const headers = { authorization: `Bearer ${token}`, 'organization-id': organization, 'auth-type': 'token' };
  const answer = await ask(url, feed, { ...headers, accept: 'application/x-ndjson' });
  const { status, text, firstMs, lastMs } = answer;
  if (status !== 200) return { finding: ['red', `the feed of changes is answered ${status}`] as Finding };
  const { cursor } = JSON.parse(text.trimEnd().split('\n').at(-1)!) as { cursor: string };
  const next = { path: `${feed}?wait=${LONG_REQUEST_SECONDS}&cursor=${encodeURIComponent(cursor)}`, headers };
  const timing = `the first of ${text.length} bytes after ${firstMs} ms, the last after ${lastMs} ms`;
  if (text.length < STREAM_BYTES) return { finding: ['not checked', timing] as Finding, next };
  return { finding: await found(firstMs < lastMs * 0.6, timing), next };
}

async function longRequest(
  url: URL,
  { finding, next }: Awaited<ReturnType<typeof stream>>,
): Promise<Finding> {
  if (!next) return finding;
  const { status, lastMs } = await ask(url, next.path, next.headers);
  return found(status === 200, `${status} after ${lastMs} ms`);
}

async function slowClients(url: URL): Promise<Finding> {
  const head = `GET ${UNKNOWN} HTTP/1.1\r\nhost: ${url.host}\r\n`;
  const sent = await Promise.all(
    [head, halfBody(url), `${head}\r\n`.repeat(20) + head].map((text) => send(url, text)),
  );
  const ended = Promise.all(sent.map(({ ended }) => ended));
  const inTime = await Promise.race([ended, sleep(HALF_SENT_MS, false, { ref: false })]);
  for (const { socket } of sent) socket.destroy();
  if (inTime) return ['ok', 'half-sent requests end, behind pipelined ones, too'];
  return ['warning', `half-sent requests stay for more than ${HALF_SENT_MS / 1_000} s`];
}

/** How many requests to a path that does not exist are in work at the service. */
async function inWork(internal: string | undefined): Promise<number> {
  if (!internal) return 0;
  const { text } = await ask(new URL(internal), '/metrics');
  const counts = [...text.matchAll(/^http_server_active_requests\{.*http_route="".*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Why there is no answer. */
export function failureOf({ cause, message }: Error): string {
  return cause instanceof Error ? cause.message : message;
}

async function ask(url: URL, path: string, headers: Readonly<Record<string, string>> = {}, body?: string) {
  const startedAt = performance.now();
  const sinceStart = () => Math.round(performance.now() - startedAt);
  const signal = AbortSignal.timeout(HALF_SENT_MS);
  const request = { method: body ? 'POST' : 'GET', headers, body, redirect: 'manual', signal } as const;
  const answer = await fetch(new URL(path, url), request);
  const pieces: Uint8Array[] = [];
  let firstMs = 0;
  for await (const piece of answer.body ?? []) {
    firstMs ||= sinceStart();
    pieces.push(piece);
  }
  const { status, headers: answered } = answer;
  const text = Buffer.concat(pieces).toString();
  // The services name each error.
  return {
    status,
    headers: answered,
    code: answered.get('x-error-code'),
    text,
    firstMs,
    lastMs: sinceStart(),
  };
}

const halfBody = ({ host }: URL) =>
  `POST ${UNKNOWN} HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 99\r\n\r\n{`;

/** Sends text as it is, on a connection of its own. */
async function send({ protocol, hostname, port }: URL, text: string) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isEncrypted = protocol === 'https:';
  const socket = isEncrypted
    ? connectTls({ host, port: Number(port || 443), servername: isIP(host) ? '' : host })
    : connect(Number(port || 80), host);
  await once(socket, isEncrypted ? 'secureConnect' : 'connect');
  const answers: Buffer[] = [];
  socket.on('error', () => undefined).on('data', (piece) => answers.push(piece));
  const ended = new Promise<true>((resolve) => socket.once('close', () => resolve(true)));
  socket.write(text);
  return { socket, answers, ended };
}
