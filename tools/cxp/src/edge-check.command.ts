import { once } from 'node:events';
import { connect, isIP, type Socket } from 'node:net';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { Command, Option } from 'commander';
import { ERASURE_BODY } from '@cxp/erasure';
import { MAX_BODY_BYTES } from '@cxp/records';
import { escapedBytes } from '@cxp/service-kit';
import { LINK_BODY } from '@cxp/survey-api/links/link.controller';
import { CommandError, printResult, UsageError } from './environment';

type Finding = readonly [result: 'ok' | 'red' | 'warning' | 'not checked', detail: string];
export type EdgeCheckOptions = Partial<Record<'area' | 'internal' | 'organization' | 'token', string>>;

/** Of each area a call, another public page, and its feed of changes. */
const AREAS: Readonly<Record<string, readonly [call: string, page: string, feed?: string]>> = {
  webchat: ['/external/conversations/edge-check/events', '/websocket/edge-check'],
  'contact-center': ['/external/conversation-sessions', '/docs', '/external/conversation-session-changes'],
  survey: ['/external/survey-campaigns', '/s/edge-check', '/external/survey-response-changes'],
};
const HIDDEN = ['/internal/records', '/metrics', '/health/ready'];
/** The services have no such path: what is in work there is of this check. */
const UNKNOWN = '/external/edge-check';
/** More bytes than the kernel holds of an answer. */
const LARGE = '/docs/scalar.js';
const WRONG = { authorization: 'Bearer edge-check', 'organization-id': 'edge-check', 'auth-type': 'token' };
/** Three times the failed authentications that one address has in a second: to open connections takes time. */
const BURST = 75;
const PATIENCE_SECONDS = 45;

export function edgeCheckCommand(): Command {
  return new Command('edge-check')
    .description('show whether a gateway does what the services need; CXP_TOKEN is a token for more checks')
    .argument('<url>', 'the address of one area, as clients have it')
    .addOption(new Option('--area <name>', 'default: that whose service answers').choices(Object.keys(AREAS)))
    .option('--internal <url>', 'where the service answers /metrics')
    .option('--organization <id>', 'that of CXP_TOKEN')
    .option('--json', 'print one JSON object')
    .action(async (url: string, { json, ...options }: EdgeCheckOptions & { json?: boolean }) => {
      if (!URL.canParse(url) || !/^https?:/.test(url)) throw new UsageError(`${url} is no URL`);
      const checks = await checkEdge(new URL(url), { token: process.env.CXP_TOKEN, ...options });
      const lines = checks.map(({ name, result, detail }) => `${result}  ${name}: ${detail}`);
      printResult({ json: { url, checks }, text: lines }, json);
      if (checks.some(({ result }) => result === 'red')) process.exitCode = 1;
    });
}

/** Asks a gateway what a client could ask: some 120 requests, in less than a minute. */
export async function checkEdge(url: URL, options: EdgeCheckOptions) {
  const edge = await firstLook(url, options);
  const findings = Object.entries(CHECKS).map(async ([name, { expected, setting, find }]) => {
    const [result, seen] = await find(edge).catch((error): Finding => ['red', failureOf(error)]);
    const isRight = result === 'ok' || result === 'not checked';
    const detail = isRight ? seen : `${seen}; expected: ${expected}; look at: ${setting}`;
    return { name, result, detail };
  });
  return Promise.all(findings);
}

/** @returns what several checks look at @throws CommandError if no service answers */
async function firstLook(url: URL, { area: wanted, internal, organization, token }: EdgeCheckOptions) {
  const [area, call, page, feed] = await areaAt(url, wanted);
  // Failed authentications at once, of as many addresses as the gateway believes in.
  const sent = Array.from({ length: BURST }, (_, n) => {
    const ofRequest = { 'x-request-id': `edge-check-${n}`, 'x-forwarded-for': `203.0.113.${n}` };
    return ask(url, call, { headers: { ...WRONG, ...ofRequest } });
  });
  const refusals = await Promise.all(sent);
  // For a second the limit of failed authentication refuses everything else of this address.
  await sleep(1_200);
  const headers = { ...WRONG, authorization: `Bearer ${token}`, 'organization-id': `${organization}` };
  const stream = { headers: { ...headers, accept: 'application/x-ndjson' } };
  // Alone, for its time tells.
  const changes = feed && token && organization ? await ask(url, feed, stream) : undefined;
  return { url, area, call, page, feed, internal, headers, refusals, changes };
}

async function areaAt(url: URL, wanted: string | undefined) {
  for (const [area, paths] of Object.entries(AREAS)) {
    const { code } = await ask(url, paths[0], { headers: WRONG }).catch((error) => {
      throw new CommandError(`${url.origin} does not answer: ${failureOf(error)}`);
    });
    if (code && code !== 'route_not_found' && (wanted ?? area) === area) return [area, ...paths] as const;
  }
  throw new CommandError(`${url.origin}: /external is not answered by a service of ${wanted ?? 'ours'}`);
}

interface Check {
  readonly expected: string;
  /** What to look at if it is not so. */
  readonly setting: string;
  readonly find: (edge: Awaited<ReturnType<typeof firstLook>>) => Promise<Finding>;
}

const CHECKS: Readonly<Record<string, Check>> = {
  TLS: {
    expected: 'https, with Strict-Transport-Security',
    setting: 'the listener and its headers',
    find: async ({ url, refusals }) => {
      if (url.protocol !== 'https:') return ['red', 'only https encrypts tokens'];
      const value = refusals[0]!.headers.get('strict-transport-security');
      return value
        ? ['ok', value]
        : ['warning', 'no Strict-Transport-Security: a first visit may go by http'];
    },
  },
  paths: {
    expected: 'public paths reach the service, others do not',
    setting: 'the routes',
    find: async ({ url, call, page }) => {
      const wrong: string[] = [];
      for (const path of new Set([call, page, '/docs', '/llms.txt', ...HIDDEN])) {
        const { code, status, headers } = await ask(url, path, { headers: WRONG });
        const isHidden = HIDDEN.includes(path);
        const isOtherPage = isHidden && headers.get('content-type')?.startsWith('text/html');
        const isReached = code !== null || (status === 200 && !isOtherPage);
        if (isReached === isHidden) wrong.push(`${path} is ${isHidden ? 'open to everybody' : 'not routed'}`);
      }
      return found(!wrong.length, wrong.join('; ') || 'public paths reach the service, others do not');
    },
  },
  'whole bodies': {
    expected: 'a request reaches the service when its body is complete',
    setting: 'the buffering of requests',
    find: async ({ url, internal }) => {
      const sent = Array.from({ length: 8 }, () => send(url, halfBody(url)));
      let isPassedOn = false;
      // A busy machine takes its time.
      for (let seconds = 0; seconds < 3 && !isPassedOn; seconds += 1) {
        await sleep(1_000);
        const isAnswered = sent.some(({ bytesRead }) => bytesRead > 0);
        isPassedOn = isAnswered || (!!internal && (await inWork(internal)) >= sent.length / 2);
      }
      for (const socket of sent) socket.destroy();
      if (!internal && !isPassedOn) return NEEDS_INTERNAL;
      return found(!isPassedOn, `half a body ${isPassedOn ? 'reaches' : 'does not reach'} the service`);
    },
  },
  'whole answers': {
    expected: 'the service is done with an answer that its client does not read',
    setting: 'the buffering of answers, and its files',
    find: async ({ url, internal }) => {
      if (!internal) return NEEDS_INTERNAL;
      const sent = Array.from({ length: 4 }, () => send(url, `${headOf(`GET ${LARGE}`, url)}\r\n`).pause());
      await sleep(3_000);
      const waiting = await inWork(internal, LARGE);
      for (const socket of sent) socket.destroy();
      return found(
        waiting < sent.length / 2,
        `${waiting} of ${sent.length} unread answers wait in the service`,
      );
    },
  },
  'body limit': {
    expected: 'the largest body of the area reaches the service, and 413 for one that is larger than any',
    setting: 'the limit of bodies, and whether it answers before it closes',
    find: async ({ url, area }) => {
      const { jsonBytes } = area === 'survey' ? LINK_BODY : ERASURE_BODY;
      const seen: string[] = [];
      for (const [bytes, expected] of [
        [escapedBytes(jsonBytes), '404'],
        [MAX_BODY_BYTES + 1, '413'],
      ] as const) {
        const head = `${headOf(`POST ${UNKNOWN}`, url)}content-length: ${bytes}\r\n\r\n`;
        const status = await answerTo(send(url, head + ' '.repeat(bytes)));
        const answer = status ? `answered ${status}` : 'cut while it is sent, and nothing is answered';
        if (status !== expected) seen.push(`a body of ${bytes} bytes is ${answer}`);
      }
      return found(
        !seen.length,
        seen.join('; ') || 'the largest body passes, a larger one than any is a 413',
      );
    },
  },
  'client address': {
    expected: 'X-Forwarded-For of a client is not believed',
    setting: 'the header X-Forwarded-For, trusted hops',
    find: async ({ refusals }) => {
      const left = refusals.map(({ headers }) => headers.get('ratelimit-remaining'));
      if (!left[0]) return ['not checked', 'RateLimit-Remaining does not arrive'];
      const isBelieved = left[0] !== '0' && new Set(left).size === 1;
      return found(!isBelieved, `a forged X-Forwarded-For ${isBelieved ? 'is believed' : 'changes nothing'}`);
    },
  },
  sockets: {
    expected: 'an upgrade with two subprotocols reaches the service',
    setting: 'websockets, the headers Upgrade and Sec-WebSocket-Protocol',
    find: async ({ url, area, page }) => {
      if (area !== 'webchat') return ['not checked', 'the area has none'];
      const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
      const key = 'sec-websocket-key: ZWRnZS1jaGVjay1rZXktMQ==\r\n';
      const protocols = 'sec-websocket-protocol: webchat.v1, bearer.wrong\r\n\r\n';
      const socket = send(url, headOf(`GET ${page}`, url) + upgrade + key + protocols);
      const [answer]: unknown[] = await once(socket, 'data');
      const code = /^x-error-code: (.*)\r$/im.exec(String(answer))?.[1];
      return found(code === 'unknown_token', `a wrong token in a subprotocol is answered ${code}`);
    },
  },
  streams: {
    expected: 'the first bytes of a stream come before the last ones are sent',
    setting: 'the buffering of answers',
    find: async ({ changes }) => {
      if (!changes) return ['not checked', 'needs an area with changes, CXP_TOKEN and --organization'];
      const { status, text, firstMs, lastMs } = changes;
      if (status !== 200) return ['red', `the feed of changes is answered ${status}`];
      const detail = `the first of ${text.length} bytes after ${firstMs} ms, the last after ${lastMs} ms`;
      if (text.length < 4 * 2 ** 20) return ['not checked', `less than 4 MiB show nothing: ${detail}`];
      return found(firstMs < lastMs * 0.6, detail);
    },
  },
  'long requests': {
    expected: 'a request may wait for 25 seconds',
    setting: 'the time limit of answers',
    find: async ({ url, feed, headers, changes }) => {
      if (changes?.status !== 200) return ['not checked', 'needs changes, as streams do'];
      const { cursor } = JSON.parse(changes.text.trimEnd().split('\n').at(-1)!) as { cursor: string };
      const path = `${feed}?wait=25&cursor=${encodeURIComponent(cursor)}`;
      const { status, lastMs } = await ask(url, path, { headers });
      if (status === 200 && lastMs < 25_000) return ['not checked', `a change came after ${lastMs} ms`];
      return found(status === 200, `${status} after ${lastMs} ms`);
    },
  },
  headers: {
    expected: 'x-request-id both ways, and Retry-After of a 429',
    setting: 'headers that the gateway removes or writes',
    find: async ({ refusals }) => {
      if (refusals.some(({ headers }, n) => headers.get('x-request-id') !== `edge-check-${n}`))
        return ['red', 'the x-request-id of a request does not come back'];
      const limited = refusals.find(({ status }) => status !== 401 && status !== 405);
      if (!limited) return ['not checked', `${BURST} failed authentications are not limited`];
      const answered = `too many are answered ${limited.status}, Retry-After: ${limited.headers.get('retry-after')}`;
      return found(limited.status === 429 && limited.headers.has('retry-after'), answered);
    },
  },
  'slow clients': {
    expected: 'half-sent requests end',
    setting: 'the time limits of headers and bodies',
    find: async ({ url }) => {
      const half = headOf(`GET ${UNKNOWN}`, url);
      const sent = [half, halfBody(url), `${half}\r\n`.repeat(20) + half].map((text) => send(url, text));
      await Promise.allSettled(sent.map((socket) => finished(socket)));
      return sent.some(({ errored }) => errored?.name === 'AbortError')
        ? ['warning', `half-sent requests stay for more than ${PATIENCE_SECONDS} s`]
        : ['ok', 'half-sent requests end, behind pipelined ones, too'];
    },
  },
};

const NEEDS_INTERNAL: Finding = ['not checked', 'needs --internal'];
const found = (isRight: boolean, detail: string): Finding => [isRight ? 'ok' : 'red', detail];
const patience = () => AbortSignal.timeout(PATIENCE_SECONDS * 1_000);
/** Of `fetch`: its own message says nothing, nor does that of several addresses that refuse. */
const failureOf = ({ cause, message }: Error & { cause?: NodeJS.ErrnoException }) =>
  cause?.message || cause?.code || message;

/** @param route the requests whose route is known */
async function inWork(internal: string, route?: string): Promise<number> {
  const { text } = await ask(new URL(internal), '/metrics');
  const labels = `http_request_method="${route ? 'GET' : 'POST'}",http_route="${route ?? ''}"`;
  const gauge = new RegExp(`^http_server_active_requests\\{${labels}.*\\} (\\d+)$`, 'm');
  return Number(gauge.exec(text)?.[1] ?? 0);
}

/** @returns the status of the answer; undefined if the connection ends without one */
async function answerTo(socket: Socket): Promise<string | undefined> {
  let text = '';
  try {
    for await (const piece of socket.setEncoding('latin1')) {
      text += piece as string;
      const [, status] = /^HTTP\/1\.1 (\d+)/.exec(text) ?? [];
      if (status) return status;
    }
  } catch {
    // Cut.
  }
  return undefined;
}

async function ask(url: URL, path: string, request: RequestInit = {}) {
  const startedAt = Date.now();
  const answer = await fetch(new URL(path, url), { redirect: 'manual', signal: patience(), ...request });
  let text = '';
  let firstMs = 0;
  for await (const piece of answer.body ?? []) {
    firstMs ||= Date.now() - startedAt;
    text += Buffer.from(piece).toString('latin1');
  }
  const { status, headers } = answer;
  const code = headers.get('x-error-code');
  return { status, headers, code, text, firstMs, lastMs: Date.now() - startedAt };
}

const headOf = (start: string, { host }: URL) => `${start} HTTP/1.1\r\nhost: ${host}\r\n`;
const halfBody = (url: URL) => `${headOf(`POST ${UNKNOWN}`, url)}content-length: 99\r\n\r\n{`;

/** Sends text as it is, on a connection of its own, which is aborted if nobody ends it. */
function send({ protocol, hostname, port }: URL, text: string) {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const isPlain = protocol === 'http:';
  const servername = isIP(host) ? '' : host;
  const to = { host, port: Number(port || (isPlain ? 80 : 443)), servername, signal: patience() };
  const socket = isPlain ? connect(to) : connectTls(to);
  socket.write(text);
  return socket.on('error', () => undefined).resume();
}
