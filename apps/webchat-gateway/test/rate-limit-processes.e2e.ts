import type { TestService } from '@cxp/service-kit/testing';
import { startService, type ServiceProcess } from '@cxp/local-servers';
import { createSession, startWebchat, storedOf, TOO_MANY_REQUESTS, webchatCaller } from './webchat-service';

const CALLS_PER_PROCESS = 60;
const LIMIT = 50;

let service: TestService;
let processes: ServiceProcess[];

beforeAll(async () => {
  service = await startWebchat({ EXTERNAL_WEBCHAT_PER_MIN_LIMIT: String(LIMIT) });
  const process = {
    entry: 'dist/apps/webchat-gateway/main.js',
    env: service.environment,
    portVariable: 'WEBCHAT_PORT',
  };
  processes = await Promise.all([startService(process), startService(process)]);
});
afterAll(async () => {
  await Promise.all(processes.map((process) => process.stop()));
  await service.stop();
});

it(`two processes with ${CALLS_PER_PROCESS} concurrent calls each let exactly the limit through`, async () => {
  const caller = await webchatCaller(service);
  const calls = Array.from({ length: CALLS_PER_PROCESS }, (_, i) =>
    processes.map((process, p) => createSession(process, caller, { id: `${p}-${i}` })),
  );
  const answers = await Promise.all(calls.flat());

  const created = answers.filter(({ status }) => status === 201);
  const refused = answers.filter(({ status }) => status === 429);
  expect([created.length, refused.length]).toEqual([LIMIT, answers.length - LIMIT]);
  expect(created.map(({ headers }) => Number(headers['ratelimit-remaining'])).sort((a, b) => a - b)).toEqual(
    Array.from({ length: LIMIT }, (_, i) => i),
  );
  for (const { body } of refused) expect(body).toEqual(TOO_MANY_REQUESTS);
  expect((await storedOf(service, caller)).conversations).toHaveLength(LIMIT);
});
