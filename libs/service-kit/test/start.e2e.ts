import { startTestService, type TestService } from '../src/testing';
import { startSampleProcess } from './sample-process';
import { sampleDatabase, SampleModule } from './sample-service';

let stores: TestService;
beforeAll(async () => {
  stores = await startTestService(SampleModule, sampleDatabase);
});
afterAll(() => stores.stop());

it('a service with bad settings stops with one line that names them and never repeats a value, which may be a secret', async () => {
  const secret = 'hunter2';
  const error: unknown = await startSampleProcess(stores, {
    DATABASE_URL: secret,
    REDIS_URL: secret,
  }).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/^Error: Ended with status 1:\nsample: bad settings: [^\n]*$/);
  expect(String(error)).toContain('DATABASE_URL');
  expect(String(error)).toContain('REDIS_URL');
  expect(String(error)).not.toContain(secret);
});
