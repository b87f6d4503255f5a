import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@cxp/testing/local-servers';
import { type DemoFacts, writeDemoFacts } from './running-stack';
import { assertPortsAreFree, holdDirectory } from './start-checks';

it('a directory has one local stack, however long its path is', async () => {
  const parent = join('/', 'a'.repeat(120), String(process.pid));
  await holdDirectory(join(parent, 'one'));
  await holdDirectory(join(parent, 'two'));
  await expect(holdDirectory(join(parent, 'one'))).rejects.toThrow('A local stack is already running in ');
});

it('a port that is named twice is taken', async () => {
  const port = await freePort();
  const one = { app: 'survey-api', port, portVariable: 'SURVEY_PORT' } as const;
  const other = { app: 'webchat-gateway', port, portVariable: 'WEBCHAT_PORT' } as const;
  await assertPortsAreFree([one]);
  await expect(assertPortsAreFree([one, other])).rejects.toThrow(
    `Taken: port ${port} of webchat-gateway (WEBCHAT_PORT).`,
  );
});

it('demo.env is right for a shell in any directory', () => {
  const directory = mkdtempSync(join(tmpdir(), "o'neil "));
  try {
    const urls = { webchat: 'https://a', contactCenter: 'https://b', survey: 'https://c' };
    writeDemoFacts(directory, { organizationId: 'demo', token: 'cxp_1', urls } as unknown as DemoFacts);
    const script = '. "$0/demo.env" && printf %s "$NODE_EXTRA_CA_CERTS"';
    expect(execFileSync('bash', ['-c', script, directory]).toString()).toBe(join(directory, 'tls/cert.pem'));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
