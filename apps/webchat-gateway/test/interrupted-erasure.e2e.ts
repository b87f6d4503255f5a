import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { ErasureService } from '@cxp/erasure';
import { startService, type ServiceProcess } from '@cxp/local-servers';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { openSession } from './conversation-service';
import { postJson, startWebchat, webchatCaller } from './webchat-service';

const MESSAGES = 40_000;
const MARKER = 'Quynh-7431';

let service: TestService;
const processes: ServiceProcess[] = [];
beforeAll(async () => {
  service = await startWebchat();
  // The processes erase.
  await service.app.get(ErasureService).beforeApplicationShutdown();
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await service.stop();
});

async function start(): Promise<ServiceProcess> {
  const process = await startService({
    entry: 'dist/apps/webchat-gateway/main.js',
    env: { ...service.environment, LOG_LEVEL: 'debug' },
    portVariable: 'WEBCHAT_PORT',
  });
  processes.push(process);
  return process;
}

it('an erasure whose process is killed is gone on with, and no log names the person', async () => {
  const caller = await webchatCaller(service);
  const { conversationId } = await openSession(service, caller, {
    id: MARKER,
    email: `${MARKER}@example.com`,
  });
  await service.dataSource.query(
    `INSERT INTO webchat.message (organization_id, conversation_id, sequence, id, sender_type, text, sent_at)
       SELECT $1, $2, n, n::text, 'agent', $3, now() FROM generate_series(1, ${MESSAGES}) AS n`,
    [caller.organizationId, conversationId, MARKER],
  );
  const id = randomUUID();
  const found = async (): Promise<{ messages?: number; conversations?: number }> =>
    (await request(service.url).get(`/external/erasures/${id}`).set(caller.headers)).body.found ?? {};

  const first = await start();
  const subject = { emails: [`${MARKER}@EXAMPLE.com`] };
  const begun = postJson(first, '/external/erasures', caller.headers, { id, subject, mode: 'delete' }).catch(
    () => undefined,
  );
  await eventually(async () => ((await found()).messages ?? 0) > 0);
  first.signal('SIGKILL');
  await first.exited;
  await begun;
  expect((await found()).messages).toBeLessThan(MESSAGES);

  const second = await start();
  await eventually(async () => (await found()).conversations === 1, 30_000);
  expect(await found()).toMatchObject({ conversations: 1, messages: MESSAGES });
  const left = await service.dataSource.query('SELECT FROM webchat.message WHERE organization_id = $1', [
    caller.organizationId,
  ]);
  expect(left).toEqual([]);
  await second.stop();
  expect(first.output() + second.output()).not.toContain(MARKER);
}, 60_000);
