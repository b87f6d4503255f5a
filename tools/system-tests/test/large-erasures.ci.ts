import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { imageEnvironment, type ServiceProcess } from '@cxp/testing/local-servers';
import { eventually, issueTestToken, type Caller, type TestService } from '@cxp/service-kit/testing';
import { startBuilt, survey, webchat } from '../src/service-under-test';

const MIB = 1_024 * 1_024;
const PHONE = '+84901234567';

/** Each of 1.6 MB, as a legal body of C4 makes them: 200 texts of 2,000 characters. */
const LINKS = 200;
const TEXTS = 200;

let inProcess: TestService;
let built: ServiceProcess;
let caller: Caller;

beforeAll(async () => {
  inProcess = await survey.startInProcess();
  caller = await issueTestToken(inProcess.dataSource);
  const texts = Array.from({ length: TEXTS - 1 }, (_, id) => ({
    metadata_id: id + 2,
    value: '😀'.repeat(2_000),
  }));
  await inProcess.dataSource.query(
    `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping, person_keys)
     SELECT $1, gen_random_uuid()::text, gen_random_uuid(), uuid_send(gen_random_uuid()), 'x', $2, $3 FROM generate_series(1, $4::integer)`,
    [
      caller.organizationId,
      JSON.stringify([{ metadata_id: 1, value: PHONE }, ...texts]),
      [`p${PHONE}`],
      LINKS,
    ],
  );
  // As the image starts it: what takes more memory ends the process.
  built = await startBuilt(survey, { ...inProcess.environment, ...imageEnvironment(), LOG_LEVEL: 'warn' });
}, 180_000);

afterAll(async () => {
  await built?.stop();
  await inProcess.stop();
});

async function call(path: string, body?: object) {
  const answer = await fetch(`${built.url}/external/erasures${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { ...caller.headers, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

const isDone = (id: string) => eventually(async () => (await call(`/${id}`)).body.erasedAt !== null, 120_000);

it('200 links of 1.6 MB are counted and erased by a process with the heap of the image', async () => {
  const subject = { phones: [PHONE] };
  const found = { responses: 0, links: LINKS, metadataValues: LINKS };
  expect(await call('', { subject, dryRun: true })).toMatchObject({ status: 200, body: { found } });
  const id = randomUUID();
  expect(await call('', { id, subject })).toMatchObject({ status: 200 });
  await isDone(id);
  expect((await call(`/${id}`)).body).toMatchObject({ found });
}, 180_000);

it('certificates of 16 MiB that come at once, of four organizations, end no process and take little memory', async () => {
  const callers = await Promise.all(Array.from({ length: 4 }, () => issueTestToken(inProcess.dataSource)));
  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, place) => {
      const { organizationId, headers } = callers[place % 4]!;
      const metadata_value = Array.from({ length: 900_000 }, (_, n) => `link:${n}/1`);
      const body = { id: randomUUID(), organizationId, area: 'survey', keys: { metadata_value } };
      const answer = await fetch(`${built.url}/external/erasures/again`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body).padEnd(16 * MIB),
      }).catch(() => undefined);
      return answer?.status;
    }),
  );
  expect(answers).toContain(200);
  // The connection of one that is refused while it is sent may be closed.
  for (const status of answers) expect([200, 429, 503, undefined]).toContain(status);
  // 683 MiB when requests were counted in place of bytes, 375 since.
  expect(await mostMemory()).toBeLessThan(480 * MIB);
  expect((await fetch(`${built.url}/health/ready`)).status).toBe(200);
  await inProcess.dataSource.query('DELETE FROM survey.erasure WHERE erased_at IS NULL');
}, 180_000);

/** Of the process, since it was started. */
async function mostMemory(): Promise<number> {
  const status = await readFile(`/proc/${await built.pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) * 1_024;
}

it.each([
  ['survey', 900_000, (n: number) => `link:${n}/1`],
  // The most that fit into a body: there each has 36 characters.
  ['webchat', 430_000, () => randomUUID()],
])(
  'the largest certificate of %s, of %d keys, is applied again and answered',
  async (name, count, keyOf) => {
    const area = name === 'survey' ? { running: inProcess, service: built } : await startWebchat();
    const { dataSource } = area.running;
    const { organizationId, headers } = await issueTestToken(dataSource);
    const type = name === 'survey' ? 'metadata_value' : 'conversation';
    const id = randomUUID();
    const ids = Array.from({ length: count }, (_, n) => keyOf(n));
    const url = `${area.service.url}/external/erasures`;
    const again = await fetch(`${url}/again`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ id, organizationId, area: name, keys: { [type]: ids } }),
    });
    expect(again.status).toBe(200);
    expect(await again.json()).toMatchObject({ id, erasedAt: null });
    // What has been left for later steps is taken as done: each takes some milliseconds.
    await dataSource.query(`UPDATE ${name}.erasure_keys SET is_left = false WHERE erasure_id = $1`, [id]);
    const read = async () => (await fetch(`${url}/${id}`, { headers })).json() as Promise<Read>;
    await eventually(async () => (await read()).erasedAt !== null, 120_000);
    // As one text: Jest would compare and print the keys for minutes.
    const sorted = ids.sort().join();
    for (const { keys } of await Promise.all([1, 2, 3].map(read)))
      expect([...keys[type]!].sort().join() === sorted).toBe(true);
    if (name === 'webchat') {
      await area.service.stop();
      await area.running.stop();
    }
  },
  180_000,
);

interface Read {
  readonly erasedAt: string | null;
  readonly keys: Readonly<Record<string, readonly string[]>>;
}

async function startWebchat() {
  const running = await webchat.startInProcess();
  return {
    running,
    service: await startBuilt(webchat, {
      ...running.environment,
      ...imageEnvironment(),
      LOG_LEVEL: 'warn',
    }),
  };
}
