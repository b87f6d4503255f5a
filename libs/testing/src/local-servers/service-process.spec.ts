import { join } from 'node:path';
import { type ServiceProcess, startService } from './service-process';

const options = {
  entry: join(__dirname, '../../test/greeting-service.ts'),
  portVariable: 'GREETING_PORT',
};

describe('startService', () => {
  let service: ServiceProcess;
  beforeEach(async () => (service = await startService(options)));
  afterEach(() => service.stop());

  it('runs TypeScript with decorators and injection, and resolves when the service answers', async () => {
    const answer = await fetch(`${service.url}/greetings/world`);
    expect(await answer.text()).toBe('Hello world');
    expect(service.output()).toContain('Nest application successfully started');
  });

  it('passes a signal on and reports the exit status', async () => {
    service.signal('SIGKILL');
    expect(await service.exited).toBe(128 + 9);
    await expect(fetch(service.url)).rejects.toThrow();
  });

  it('ends the service when stopped', async () => {
    await service.stop();
    await expect(fetch(service.url)).rejects.toThrow();
  });
});

it('says what a service printed that ended before it was ready', async () => {
  await expect(startService({ ...options, entry: 'libs/testing/test/missing.ts' })).rejects.toThrow(
    /Ended with status 1:[^]*Cannot find module/,
  );
});

it('is not ready while another process answers at its port', async () => {
  await expect(startService({ ...options, entry: 'libs/testing/test/foreign-answers.js' })).rejects.toThrow(
    /Ended with status 3:\nanswered 200/,
  );
});
