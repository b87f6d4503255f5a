import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { CxpClient } from '@cxp/client';
import { AppModule } from '@cxp/contact-center-export/app.module';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { followedAreas, Follower, PostgresDatabase, TableCopy } from '@cxp/follower';
import { type Caller, startTestService, type TestService } from '@cxp/service-kit/testing';
import { createTestDatabase, type TestDatabase } from '@cxp/testing';
import { at, conversation, expectCopyOfExport, load as loadRecords, ticket } from './followed-conversations';

// A cursor that expires in the middle of a gathered batch.

const AREA = followedAreas.find(({ name }) => name === 'contact-center')!;
/** One batch of 500 is gathered, another one has begun. */
const LINES = 550;
const MANY = Array.from({ length: 600 }, (_, n) => n);
const DAY = 24 * 60;

let service: TestService;
let caller: Caller;
let client: CxpClient;
let target: TestDatabase;
let pool: Pool;
let reports: string[];
/** Called when the next stream is cut. */
let cut: (() => Promise<unknown>) | undefined;

const proxy = createServer((request, response) => void pass(request, response));
beforeAll(async () => {
  service = await startTestService(AppModule, contactCenterDatabase);
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  proxy.close();
  await service.stop();
});
beforeEach(async () => {
  caller = await service.caller();
  const { organizationId, token } = caller;
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  client = new CxpClient({ organizationId, token, urls: { contactCenter: url } });
  target = await createTestDatabase();
  pool = new Pool({ connectionString: target.url });
  pool.on('error', () => undefined);
  reports = [];
});
afterEach(async () => {
  await pool.end();
  await target.drop();
});

const load = (...groups: object[][]) => loadRecords(service, caller, ...groups);

async function follow(): Promise<void> {
  const copy = new TableCopy(new PostgresDatabase(pool), AREA, caller.organizationId);
  const report = (line: string) => void reports.push(line);
  await new Follower(client, copy, { once: true, verify: false, report }).run();
}

async function pass({ url: path, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { accept } = headers;
  const answer = await fetch(`${service.url}${path}`, { headers: { ...caller.headers, accept: accept! } });
  const text = await answer.text();
  const schedule = answer.headers.get('x-human-schedule');
  response.writeHead(answer.status, {
    'content-type': answer.headers.get('content-type')!,
    ...(schedule && { 'x-human-schedule': schedule }),
  });
  if (!cut || !path!.includes('changes')) return void response.end(text);
  await cut();
  cut = undefined;
  response.write(`${text.split('\n').slice(0, LINES).join('\n')}\n`, () => response.destroy());
}

const changed = async () => {
  await load(conversation(1, 40), [{ type: 'conversation', op: 'delete', data: { id: 'c-2' } }]);
  await service.dataSource.query('UPDATE contact_center.change_epoch SET epoch = gen_random_uuid()');
};

it('starts over in a first copy', async () => {
  await load(...MANY.map((n) => conversation(n)));
  cut = changed;
  await follow();
  expect(reports).toContain('reading from the beginning: cursor_expired');
  await expectCopyOfExport(client, pool, 599);
});

it('reads the days that differ in a copy that was complete', async () => {
  await load(...MANY.map((n) => conversation(n)), conversation(1_001, DAY), conversation(1_002, 2 * DAY));
  await follow();
  await load(...MANY.map((n) => [ticket(n, { subject: 'Solved', updatedAt: at(30) })]));
  cut = changed;
  await follow();
  expect(reports).toContain('the cursor has expired: reading 2026-01-05');
  await expectCopyOfExport(client, pool, 601);
});
