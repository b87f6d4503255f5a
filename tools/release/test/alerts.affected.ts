import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import type { TestService } from '@cxp/service-kit/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { SERVICES } from '@cxp/system-tests/service-under-test';
import { needs } from '@cxp/testing';

const { describe, it } = needs('promtool');

interface Alerts {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string }[] }[];
}

const read = (file: string) => parse(readFileSync(join(workspaceRoot, 'docker', file), 'utf8')) as unknown;
const alerts = read('monitoring/alerts.yaml') as Alerts;
const cases = join(workspaceRoot, 'tools/release/test/alerts.test.yaml');

describe('docker/monitoring/alerts.yaml', () => {
  it('raises its alerts when a service is in trouble, and only then', async () => {
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', cases]);
    expect(stdout).toContain('SUCCESS');
  });

  it.each(alerts.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)))('%s has a case', (alert) => {
    expect(readFileSync(cases, 'utf8')).toContain(`alertname: ${alert}`);
  });
});

describe('GET /metrics', () => {
  let services: TestService[];
  beforeAll(async () => {
    services = await Promise.all(SERVICES.map((service) => service.startInProcess()));
  }, 60_000);
  afterAll(() => Promise.all(services.map((service) => service.stop())));

  it('of each service has nothing that promtool objects to', async () => {
    for (const { url } of services) {
      const check = execFile('promtool', ['check', 'metrics']);
      const output = Promise.all([text(check.stdout!), text(check.stderr!)]);
      check.stdin!.end(await fetch(`${url}/metrics`).then((answer) => answer.text()));
      expect(await output).toEqual(['', '']);
    }
  });
});
