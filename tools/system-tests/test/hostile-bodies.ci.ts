import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { REAL_DEADLINE_MS } from '@cxp/service-kit/testing';
import { imageEnvironment } from '@cxp/testing/local-servers';
import { useBuiltService } from '../src/tenants';
import { metricOf, send, importRecords, postJson, record } from '../src/http';
import { survey } from '../src/service-under-test';

const AT_ONCE = 4;
const MIB = 1_024 * 1_024;

// As the image starts it: what takes more memory ends the process.
const running = useBuiltService(survey, imageEnvironment);

const repeated = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length));
/** A link of the most fields, each with a list of so many items, and none with an id; at 497 items it holds 99,801 of 100,000 JSON values. */
const wrongLink = (items: number) =>
  `{"metadata_mapping":[${Array(200)
    .fill(`{"value":[${'[],'.repeat(items - 1)}0]}`)
    .join()}]}`;

const TOO_LARGE = '"type":"too_large"';
/** The last of the 100 problems that are listed, the first of which is the name. */
const LAST_PROBLEM = '"loc":["body","metadata_mapping",98,"metadata_id"]';

it.each<[string, number, string, string]>([
  [
    'millions of empty objects',
    422,
    TOO_LARGE,
    `{"name":"x","metadata_mapping":[${repeated('{},', 4 * MIB - 100)}0]}`,
  ],
  ['millions of members', 422, TOO_LARGE, `{"name":"x","x":{${repeated('"a":0,', 4 * MIB - 100)}"b":0}}`],
  ['more than its limit, without escapes', 413, '', `{"name":"x","x":[${repeated('1,', 12 * MIB - 100)}0]}`],
  ['a link of which every field is wrong', 422, LAST_PROBLEM, wrongLink(497)],
  ['a link of which every field is wrong, over the limit of values', 422, TOO_LARGE, wrongLink(498)],
])('the process outlives %s, several at once', async (_, status, listed, body) => {
  const path = `/external/survey-campaigns/${running.tenant.campaignId}/links`;
  const request = { ...postJson(path, running.tenant.caller, {}), body };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(running.built.url, request)));
  for (const answer of answers) {
    // While the process reads the others, a request may come to its deadline.
    expect([status, 429, 503]).toContain(answer.status);
    if (answer.status === status) expect(answer.text).toContain(listed);
  }
  expect((await send(running.built.url, { method: 'GET', path: '/health/ready' })).status).toBe(200);
});

it('a thousand bodies that are begun leave the process its memory, and others their links', async () => {
  const path = `/external/survey-campaigns/${running.tenant.campaignId}/links`;
  const before = await residentBytes();
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: test',
    ...Object.entries(running.tenant.caller.headers).map((header) => header.join(': ')),
    'Content-Type: application/json',
    `Content-Length: ${4 * MIB}`,
  ];
  const begun = Array.from({ length: 1_000 }, () => {
    const { hostname, port } = new URL(running.built.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    socket.write(`${head.join('\r\n')}\r\n\r\n${' '.repeat(250_000)}`);
    return socket;
  });
  await sleep(5_000);
  expect((await residentBytes()) - before).toBeLessThan(128 * MIB);
  const { other } = running;
  const link = postJson(`/external/survey-campaigns/${other.campaignId}/links`, other.caller, {
    name: 'x',
    metadata_mapping: [],
  });
  expect((await send(running.built.url, link)).status).toBe(200);
  for (const socket of begun) socket.destroy();
});

function residentBytes(): Promise<number> {
  return metricOf(running.built.url, 'process_resident_memory_bytes');
}

it('large links of an organization are stored two at once, and others are answered meanwhile', async () => {
  const { built, tenant, other } = running;
  const LISTS = 128;
  const fields = Array.from({ length: LISTS }, (_, id) =>
    record('metadata_field', { id, name: `f${id}`, variable: `f${id}` }),
  );
  await importRecords(built.url, tenant.caller, fields);
  // Of the bodies that are allowed these take longest: lists of 32 KiB, as many members as 4 MiB hold.
  const object = Object.fromEntries(
    Array.from({ length: 600 }, (_, n) => [`member-${1_000 + n}`, 'v'.repeat(36)]),
  );
  const large = (n: number) =>
    postJson(`/external/survey-campaigns/${tenant.campaignId}/links`, tenant.caller, {
      name: 'x',
      metadata_mapping: fields.map((_, metadata_id) => ({ metadata_id, value: [n, object] })),
    });
  const sent = Promise.all(Array.from({ length: 24 }, (_, n) => send(built.url, large(n))));
  let isOver = false;
  void sent.finally(() => (isOver = true));
  while (!isOver) {
    const small = { name: 'x', metadata_mapping: [{ metadata_id: other.metadataId, value: 1 }] };
    const path = `/external/survey-campaigns/${other.campaignId}/links`;
    expect((await send(built.url, postJson(path, other.caller, small))).status).toBe(200);
  }
  const answers = await sent;
  const refused = answers.filter(({ status }) => status !== 200);
  // The last of them may come when the first is answered.
  expect([2, 3, 4]).toContain(answers.length - refused.length);
  for (const { status, headers } of refused) expect([status, headers['retry-after']]).toEqual([429, '5']);
});

describe('hundreds of forms of the most fields', () => {
  const behindProxy = useBuiltService(survey, () => ({
    ...imageEnvironment(),
    TRUSTED_PROXIES: '127.0.0.0/8',
    CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS),
  }));

  it('leave the process its memory', async () => {
    const { campaignId, caller } = behindProxy.tenant;
    const link = postJson(`/external/survey-campaigns/${campaignId}/links`, caller, { name: 'x' });
    const { public_id: publicId } = (await send(behindProxy.built.url, link)).body as { public_id: string };
    const body = Array.from({ length: 8_000 }, (_, id) => `q${1_000 + id}=1`).join('&');
    const sent = Array.from({ length: 600 }, (_, n) =>
      send(behindProxy.built.url, {
        method: 'POST',
        path: `/s/${publicId}${n % 2 ? '' : '/responses'}`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': `198.51.100.${n % 6}`,
        },
        body,
      }),
    );
    for (const { status } of await Promise.all(sent)) expect([200, 422, 503]).toContain(status);
    expect((await send(behindProxy.built.url, { method: 'GET', path: '/health/ready' })).status).toBe(200);
  });
});
