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

it('a service warns of settings that it does not know, in one line each, and starts', async () => {
  const service = await startSampleProcess(stores, {
    SAMPLE_PER_SEC_LIMITS: 'hunter2',
    REDIS_PASSWORD: 'hunter2',
  });
  await service.stop();

  const warnings = service
    .output()
    .split('\n')
    .filter((line) => line.includes('"warn"'))
    .map((line) => JSON.parse(line) as object);
  expect(warnings).toEqual([
    expect.objectContaining({
      setting: 'SAMPLE_PER_SEC_LIMITS',
      msg: 'SAMPLE_PER_SEC_LIMITS is not a setting: SAMPLE_PER_SEC_LIMIT is',
    }),
    expect.objectContaining({ setting: 'REDIS_PASSWORD', msg: 'REDIS_PASSWORD is not a setting' }),
  ]);
  expect(service.output()).not.toContain('hunter2');
});
