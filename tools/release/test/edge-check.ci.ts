import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { generate } from 'selfsigned';
import { checkEdge, type EdgeCheckOptions } from '@cxp/cxp/edge-check.command';
import { issueTestToken } from '@cxp/service-kit/testing';
import { importRecords } from '@cxp/system-tests/http';
import { NOON } from '@cxp/system-tests/tenants';
import { needs } from '@cxp/testing';
import { nginxProgram, startEdge, useEdge, type Edge } from '@cxp/system-tests/edge';

const { describe } = needs('nginx', nginxProgram);

const directory = mkdtempSync(join(tmpdir(), 'cxp-edge-check-'));
afterAll(() => rmSync(directory, { recursive: true }));

type Checks = Awaited<ReturnType<typeof checkEdge>>;

interface Fault {
  /** What is wrong, and the line that says so. */
  readonly name: string;
  readonly finds: readonly [name: string, result: 'red' | 'warning', detail: RegExp];
  readonly change?: (text: string) => string;
  readonly service?: string;
  /** Whether it takes a token to find it. */
  readonly needsToken?: boolean;
  readonly throughNode?: boolean;
}

/** When the check of docker/nginx.conf only waits. */
const FIRST_FAULT_MS = 10_000;
const CONTACT_CENTER = 'contact-center-export';
const replaced = (from: string | RegExp, to: string) => (text: string) => {
  expect(text).toMatch(from);
  return text.replaceAll(from, to);
};
const inHttp = (directive: string) => replaced('server_tokens off;', `server_tokens off; ${directive}`);

const FAULTS: readonly Fault[] = [
  {
    name: 'gathers an answer before it passes it on',
    change: replaced(/ ssl;/g, ';'),
    throughNode: true,
    needsToken: true,
    finds: ['streams', 'red', /the first of \d+ bytes/],
  },
  {
    // The first one: its requests have to be quick to reach the limit of a second.
    name: 'hides when to come again',
    change: inHttp('proxy_hide_header Retry-After;'),
    finds: ['headers', 'red', /Retry-After/],
  },
  {
    name: 'speaks http',
    change: replaced(/ ssl;/g, ';'),
    finds: ['TLS', 'red', /only https/],
  },
  {
    name: 'does not announce TLS',
    change: replaced(/add_header Strict-Transport-Security [^;]*;/g, ''),
    finds: ['TLS', 'warning', /no Strict-Transport-Security/],
  },
  {
    name: 'shows metrics',
    change: replaced('(external|s|docs)', '(external|s|docs|metrics)'),
    finds: ['paths', 'red', /^\/metrics is open to everybody; expected: .*; look at: the routes$/],
  },
  {
    name: 'hides the documents',
    change: replaced('(external|s|docs)', '(external|s)'),
    finds: ['paths', 'red', /^\/docs is not routed;/],
  },
  {
    name: 'passes bodies on as they come',
    change: inHttp('proxy_request_buffering off;'),
    service: 'survey-api',
    finds: ['whole bodies', 'red', /half a body reaches the service/],
  },
  {
    name: 'answers a large body as it likes',
    change: replaced('error_page 413 @', 'error_page 413 =400 @'),
    finds: ['body limit', 'red', /^a body of 16777217 bytes is answered 400;/],
  },
  {
    name: 'refuses bodies that the area takes',
    change: replaced('client_max_body_size 16m', 'client_max_body_size 11m'),
    service: 'survey-api',
    finds: ['body limit', 'red', /^a body of 12582912 bytes is answered 413;/],
  },
  {
    name: 'cuts the connection of a large body',
    change: replaced('return 413 $too_large;', 'return 444;'),
    finds: ['body limit', 'red', /^a body of 16777217 bytes is cut while it is sent/],
  },
  {
    name: 'believes what a client says of its address',
    change: replaced(/X-Forwarded-For [^;]+;/g, 'X-Forwarded-For $http_x_forwarded_for;'),
    finds: ['client address', 'red', /is believed/],
  },
  {
    name: 'knows no upgrade',
    change: replaced('proxy_set_header Upgrade $http_upgrade;', ''),
    service: 'webchat-gateway',
    finds: ['sockets', 'red', /answered route_not_found/],
  },
  {
    name: 'loses subprotocols',
    change: replaced(
      'proxy_set_header Upgrade $http_upgrade;',
      'proxy_set_header Upgrade $http_upgrade; proxy_set_header Sec-WebSocket-Protocol webchat.v1;',
    ),
    service: 'webchat-gateway',
    finds: ['sockets', 'red', /answered missing_header/],
  },
  {
    name: 'cuts requests that wait',
    change: replaced('proxy_read_timeout 120s', 'proxy_read_timeout 10s'),
    needsToken: true,
    finds: ['long requests', 'red', /^503 after 1\d{4} ms;/],
  },
  {
    name: 'has request ids of its own',
    change: inHttp('proxy_hide_header X-Request-Id; add_header X-Request-Id $request_id always;'),
    finds: ['headers', 'red', /x-request-id of a request does not come back/],
  },
  {
    name: 'waits for half-sent requests',
    change: replaced(/client_(header|body)_timeout \d+s/g, 'client_$1_timeout 300s'),
    finds: ['slow clients', 'warning', /stay for more than 45 s/],
  },
];

describe('npx cxp edge-check', () => {
  const { running, urlOf } = useEdge({
    EXTERNAL_UNAUTHENTICATED_PER_SEC_LIMIT: '20',
    EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT: '300',
  });
  const edges: Edge[] = [];
  let tls: { readonly cert: string; readonly private: string };
  let token: EdgeCheckOptions;

  beforeAll(async () => {
    const attributes = [{ name: 'commonName', value: 'localhost' }];
    const names = [{ type: 2 as const, value: 'localhost' }];
    tls = await generate(attributes, { extensions: [{ name: 'subjectAltName', altNames: names }] });
    writeFileSync(join(directory, 'tls.crt'), tls.cert);
    writeFileSync(join(directory, 'tls.key'), tls.private);
    setDefaultCACertificates([...getCACertificates('default'), tls.cert]);
    const { inProcess, built } = running.find(({ service }) => service.name === CONTACT_CENTER)!.used;
    const { headers } = await issueTestToken(inProcess.dataSource);
    token = { token: headers.authorization!.split(' ')[1], organization: headers['organization-id'] };
    // A feed that is long enough to come in pieces.
    for (let n = 0; n < 150; n += 1) {
      const conversationId = `many ${n}`;
      const times = { createdAt: NOON, updatedAt: NOON };
      const tickets = Array.from({ length: 60 }, (_, ticket) => ({
        type: 'ticket',
        data: { id: n * 60 + ticket + 1, conversationId, ...times, description: 'to be read '.repeat(40) },
      }));
      const records = [{ type: 'conversation', data: { id: conversationId, ...times } }, ...tickets];
      await importRecords(built.url, { headers }, records);
    }
  }, 120_000);
  afterAll(async () => {
    setDefaultCACertificates(getCACertificates('default'));
    await Promise.all(edges.map(({ stop }) => stop()));
  });

  const usedBy = (service: string) => running.find((one) => one.service.name === service)!.used;

  /** With a certificate, and with an address of its clients of its own: its failed authentications count alone. */
  async function startChanged(clients: string, change = (text: string) => text): Promise<Edge> {
    const urls = Object.fromEntries(running.map(({ service, used }) => [service.name, used.built.url]));
    const edge = await startEdge(urls, (text) =>
      change(
        [
          replaced('$remote_addr;', `${clients};`),
          replaced(/listen (\d+);/g, 'listen $1 ssl;'),
          inHttp(
            `ssl_certificate ${directory}/tls.crt; ssl_certificate_key ${directory}/tls.key; add_header Strict-Transport-Security "max-age=63072000" always;`,
          ),
        ].reduce((changed, step) => step(changed), text),
      ),
    );
    edges.push(edge);
    return edge;
  }

  const notGreen = (checks: Checks) =>
    checks.filter(({ result }) => result === 'red' || result === 'warning').map(({ name }) => name);

  it('finds nothing at docker/nginx.conf but that it ends no TLS', async () => {
    const results = await Promise.all(
      running.map(async ({ service, used }) => {
        const url = new URL(urlOf(service.name));
        const options = service.name === CONTACT_CENTER ? token : {};
        // The time of its stream tells: it comes when the others are waiting.
        if (service.name === CONTACT_CENTER) await sleep(4_000);
        return checkEdge(url, { ...options, internal: used.built.url });
      }),
    );
    for (const checks of results) expect(notGreen(checks)).toEqual(['TLS']);
    expect(results[1]).toEqual(
      expect.arrayContaining([
        { name: 'streams', result: 'ok', detail: expect.any(String) },
        { name: 'long requests', result: 'ok', detail: expect.any(String) },
      ]),
    );
  }, 120_000);

  // They wait for most of their time: all at once.
  const checks = new Map<string, Promise<Checks>>();
  beforeAll(() => {
    for (const [n, fault] of FAULTS.entries()) {
      const check = checkFault(fault, `10.9.0.${n + 1}`);
      check.catch(() => undefined);
      checks.set(fault.name, check);
    }
  });

  async function checkFault(
    { name, change, service = CONTACT_CENTER, needsToken, throughNode, finds: [line, result] }: Fault,
    clients: string,
  ): Promise<Checks> {
    await sleep(FAULTS.findIndex((fault) => fault.name === name) * 1_500 + FIRST_FAULT_MS);
    const edge = await startChanged(clients, change);
    const behind = edge.urlOf(service);
    const encrypted = () => behind.replace('http://127.0.0.1', 'https://localhost');
    const url = new URL(
      throughNode
        ? await startGatheringProxy(behind)
        : line === 'TLS' && result === 'red'
          ? behind
          : encrypted(),
    );
    const internal = line === 'whole bodies' ? usedBy(service).built.url : undefined;
    return checkEdge(url, { internal, ...(needsToken && token) });
  }

  /** Gives an answer when it has all of it. */
  async function startGatheringProxy(behind: string): Promise<string> {
    const options = { cert: tls.cert, key: tls.private, headersTimeout: 5_000, requestTimeout: 5_000 };
    const proxy = createServer({ ...options, connectionsCheckingInterval: 500 }, (request, response) => {
      void buffer(request).then(
        (body) => {
          const { method, headers, url } = request;
          const passed = httpRequest(new URL(url!, behind), { method, headers }, (answer) => {
            void buffer(answer).then((whole) =>
              response.writeHead(answer.statusCode!, answer.headers).end(whole),
            );
          });
          passed.end(body);
        },
        () => undefined,
      );
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    edges.push({
      urlOf: () => behind,
      stop: () => Promise.resolve(proxy.close()).then(() => proxy.closeAllConnections()),
    });
    return `https://localhost:${(proxy.address() as AddressInfo).port}`;
  }

  it.each(FAULTS)(
    'says of a gateway that $name exactly that',
    async ({ name, finds: [line, result, detail] }) => {
      const found = await checks.get(name)!;
      expect(found).toContainEqual({ name: line, result, detail: expect.stringMatching(detail) as string });
      expect(notGreen(found)).toEqual([line]);
    },
    120_000,
  );
});
