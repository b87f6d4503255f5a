import { startTestService, type TestService } from '../src/testing';
import { startSampleProcess } from './sample-process';
import { sampleDatabase, sampleService } from './sample-service';

let stores: TestService;
beforeAll(async () => {
  stores = await startTestService(sampleService, sampleDatabase, {});
});
afterAll(() => stores.stop());

describe('a service with a bad setting', () => {
  it.each<[variable: string, value: string, reason: string]>([
    ['DATABASE_URL', '', 'DATABASE_URL must be a postgres:// URL'],
    ['DATABASE_URL', 'mysql://db/cxp', 'DATABASE_URL must be a postgres:// URL'],
    ['TRUSTED_PROXIES', 'proxy.internal', 'TRUSTED_PROXIES must be IP addresses or CIDR ranges'],
  ])('stops with one line that names %s (%j)', async (variable, value, reason) => {
    await expect(startSampleProcess(stores, { [variable]: value })).rejects.toThrow(
      new Error(`Ended with status 1:\nsample: bad settings: ${reason}`),
    );
  });

  it('never repeats a value, which may be a secret', async () => {
    const secret = 'hunter2';
    const error: unknown = await startSampleProcess(stores, {
      DATABASE_URL: secret,
      REDIS_URL: secret,
    }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('DATABASE_URL');
    expect(String(error)).toContain('REDIS_URL');
    expect(String(error)).not.toContain(secret);
  });
});
