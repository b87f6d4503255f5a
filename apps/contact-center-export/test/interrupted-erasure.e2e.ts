import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { ErasureService } from '@cxp/erasure';
import { startService, type ServiceProcess } from '@cxp/local-servers';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import { importRecords, startContactCenter } from './contact-center-service';

const CONVERSATIONS = 2_000;
const MARKER = 'Quynh-7431';

let service: TestService;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  service = await startContactCenter();
  // The processes erase.
  await service.app.get(ErasureService).beforeApplicationShutdown();
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await service.stop();
});

async function start(): Promise<ServiceProcess> {
  const process = await startService({
    entry: 'dist/apps/contact-center-export/main.js',
    env: { ...service.environment, LOG_LEVEL: 'debug' },
    portVariable: 'CONTACT_CENTER_PORT',
  });
  processes.push(process);
  return process;
}

it.each(['delete', 'anonymize'])(
  'an erasure whose process is killed is gone on with while its records arrive, and no log names the person: %s',
  async (mode) => {
    const caller = await service.caller();
    const customer = { filumId: MARKER, name: MARKER, email: `${MARKER}@example.com` };
    const records = (updatedAt: string) =>
      Array.from({ length: CONVERSATIONS }, (_, n) =>
        record.conversation({ id: `c-${n}`, updatedAt, customer }),
      );
    await importRecords(service, caller, records('2026-01-05T01:00:00.000Z')).expect(200);
    const id = randomUUID();
    const found = async (): Promise<number> => {
      const { body } = await request(service.url).get(`/external/erasures/${id}`).set(caller.headers);
      return (body as { found?: { conversations?: number } }).found?.conversations ?? 0;
    };

    const first = await start();
    const subject = { emails: [`${MARKER}@EXAMPLE.com`] };
    const begun = request(first.url)
      .post('/external/erasures')
      .set(caller.headers)
      .send({ id, subject, mode })
      .catch(() => undefined);
    await eventually(async () => (await found()) > 0);
    first.signal('SIGKILL');
    await first.exited;
    await begun;
    const before = await found();
    expect(before).toBeLessThan(CONVERSATIONS);
    // Those of erased conversations bring nothing back; the others are erased later.
    await importRecords(service, caller, records('2026-02-01T00:00:00.000Z')).expect(200);

    const second = await start();
    await eventually(async () => {
      const { body } = await request(service.url).get(`/external/erasures/${id}`).set(caller.headers);
      return (body as { erasedAt: string | null }).erasedAt !== null;
    }, 30_000);
    expect(await found()).toBe(CONVERSATIONS);
    await importRecords(service, caller, records('2026-03-01T00:00:00.000Z')).expect(200);
    const left = await service.dataSource.query(
      `SELECT FROM contact_center.conversation WHERE organization_id = $1 AND conversation::text LIKE $2`,
      [caller.organizationId, `%${MARKER}%`],
    );
    expect(left).toEqual([]);
    await second.stop();
    expect(first.output() + second.output()).not.toContain(MARKER);
  },
  60_000,
);
