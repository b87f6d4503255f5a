import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median, rate } from '../src/measure';

describe('the rate of calls', () => {
  let server: Server;
  const paths = new Set<string>();

  beforeAll(async () => {
    server = createServer(({ url = '' }, response) => {
      paths.add(url);
      response.statusCode = url === '/wrong' ? 500 : 200;
      response.end();
    }).listen(0);
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const load = (nextPath: () => string) => ({
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    next: () => ({ method: 'GET' as const, path: nextPath() }),
    connections: 2,
    seconds: 1,
    expectedStatus: 200,
  });

  it('sends what each next call is, and counts', async () => {
    let turn = 0;
    const { value } = await rate(load(() => `/${turn++ % 3}`));
    expect([...paths].sort()).toEqual(['/0', '/1', '/2']);
    expect(value).toBeGreaterThan(0);
  });

  it('refuses to measure wrong answers', async () => {
    await expect(rate(load(() => '/wrong'))).rejects.toThrow('statuses 500');
  });
});

it.each([
  [[3], 3],
  [[9, 1, 5], 5],
  [[2, 10, 1, 3, 100], 3],
])('the median of %p is %p', (values, expected) => expect(median(values)).toBe(expected));
