import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { TestService } from '@cxp/service-kit/testing';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { SERVICES } from '@cxp/system-tests/service-under-test';
import { needs } from '@cxp/testing';
import { alertRules, expressions } from './monitoring';

const { describe, it } = needs('promtool');

const cases = join(workspaceRoot, 'tools/release/test/alerts.test.yaml');

describe('docker/monitoring/alerts.yaml', () => {
  it('raises its alerts when a service is in trouble, and only then', async () => {
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', cases]);
    expect(stdout).toContain('SUCCESS');
  });

  it.each(alertRules.map(({ alert }) => alert))('%s has a case', (alert) => {
    expect(readFileSync(cases, 'utf8')).toContain(`alertname: ${alert}`);
  });
});

it('the expressions of the dashboard, the alerts and the autoscaler are PromQL', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-promql-'));
  const file = join(directory, 'rules.json');
  const rules = expressions.map(({ name, expr }) => ({ alert: name, expr }));
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'all', rules }] }));
  try {
    const { stdout } = await promisify(execFile)('promtool', ['check', 'rules', '--lint=none', file]);
    expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

describe('GET /metrics', () => {
  let services: TestService[];
  beforeAll(async () => {
    services = await Promise.all(SERVICES.map((service) => service.startInProcess()));
  });
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
