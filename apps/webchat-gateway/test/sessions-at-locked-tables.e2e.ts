import type { QueryRunner } from 'typeorm';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { createSession, startWebchat, webchatCaller } from './webchat-service';

/** More than the pool has connections. */
const CALLS = 24;

let service: TestService;
let caller: Caller;
let lock: QueryRunner;

beforeAll(async () => {
  service = await startWebchat();
  caller = await webchatCaller(service);
  lock = service.dataSource.createQueryRunner();
  await lock.startTransaction();
  await lock.query('LOCK TABLE webchat.conversation');
});
afterAll(async () => {
  await lock.release();
  await service.stop();
});

it('creates that wait for a locked table are answered in time, and their statements are cancelled', async () => {
  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, i) => createSession(service, caller, { id: `u-${i}` })),
  );
  expect([...new Set(answers.map(({ status }) => status))]).toEqual([503]);
  await eventually(async () => (await statementsThatWait(lock)).length === 0);
  await lock.rollbackTransaction();
  await createSession(service, caller, { id: 'u-0' }).expect(201);
});
