import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '@cxp/testing/local-servers';
import { runCxp } from './cxp-process';

// What it finds at gateways: tools/release/test/edge-check.ci.ts.
describe('npx cxp edge-check of what is no gateway of ours', () => {
  const pages = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<html>'));
  let htmlUrl: string;
  beforeAll(async () => {
    await once(pages.listen(0, '127.0.0.1'), 'listening');
    htmlUrl = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  });
  afterAll(() => void pages.close());

  it.each([
    [
      'an unknown host',
      () => 'https://no-such-host.invalid',
      /^cxp: https:\/\/\S+ does not answer: .*no-such-host/,
    ],
    [
      'a refused connection',
      async () => `http://127.0.0.1:${await freePort()}`,
      /^cxp: http:\/\/\S+ does not answer: .*REFUSED/,
    ],
    [
      'a gateway that answers HTML',
      () => htmlUrl,
      /^cxp: http:\/\/\S+: \/external is not answered by a service/,
    ],
  ])('%s: one line', async (_, address, line) => {
    const result = await runCxp({}, ['edge-check', await address()]);
    expect(result).toEqual({ status: 1, stdout: '', stderr: expect.stringMatching(line) as string });
    expect(result.stderr.trim().split('\n')).toHaveLength(1);
  });

  it('no URL: wrong usage', async () => {
    const result = await runCxp({}, ['edge-check', 'gateway']);
    expect(result).toEqual({ status: 2, stdout: '', stderr: 'cxp: gateway is no URL\n' });
  });
});
