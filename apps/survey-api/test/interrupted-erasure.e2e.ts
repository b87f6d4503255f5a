import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { ErasureService } from '@cxp/erasure';
import { startService, type ServiceProcess } from '@cxp/local-servers';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { campaignRecord, responseRecord } from './records';
import { importRecords, startSurvey } from './survey-service';

const RESPONSES = 10_000;
const MARKER = 'Quynh-7431';

let service: TestService;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  service = await startSurvey();
  // The processes erase.
  await service.app.get(ErasureService).beforeApplicationShutdown();
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await service.stop();
});

async function start(): Promise<ServiceProcess> {
  const process = await startService({
    entry: 'dist/apps/survey-api/main.js',
    env: { ...service.environment, LOG_LEVEL: 'debug' },
    portVariable: 'SURVEY_PORT',
  });
  processes.push(process);
  return process;
}

it.each(['delete', 'anonymize'])(
  'an erasure whose process is killed is gone on with, and no log names the person: %s',
  async (mode) => {
    const caller = await service.caller();
    const campaign = campaignRecord();
    const responses = Array.from({ length: RESPONSES }, () =>
      responseRecord({
        survey_campaign_id: campaign.id,
        user_email: `${MARKER}@example.com`,
        user_name: MARKER,
      }),
    );
    await importRecords(
      service,
      caller,
      ['survey_campaign', campaign],
      ...responses.map((record) => ['survey_response', record] as const),
    );
    const id = randomUUID();
    const certificate = async () =>
      (await request(service.url).get(`/external/erasures/${id}`).set(caller.headers)).body as {
        erasedAt?: string | null;
        found?: { responses?: number };
      };

    const first = await start();
    const begun = request(first.url)
      .post('/external/erasures')
      .set(caller.headers)
      .send({ id, subject: { emails: [`${MARKER}@EXAMPLE.com`] }, mode })
      .catch(() => undefined);
    await eventually(async () => ((await certificate()).found?.responses ?? 0) > 0);
    first.signal('SIGKILL');
    await first.exited;
    await begun;
    expect((await certificate()).erasedAt).toBeNull();

    // Meanwhile the records come again.
    await importRecords(
      service,
      caller,
      ...responses.slice(0, 1_000).map((record) => ['survey_response', record] as const),
    );
    const second = await start();
    await eventually(async () => Boolean((await certificate()).erasedAt), 30_000);
    expect((await certificate()).found).toEqual({ responses: RESPONSES, links: 0 });
    const left = await service.dataSource.query(
      `SELECT FROM survey.response WHERE organization_id = $1 AND ($2 = 'delete' OR response::text ~ $3)`,
      [caller.organizationId, mode, MARKER],
    );
    expect(left).toEqual([]);
    await second.stop();
    expect(first.output() + second.output()).not.toContain(MARKER);
  },
  60_000,
);
