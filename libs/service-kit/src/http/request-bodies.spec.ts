import { PassThrough, Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { readBody } from './request-bodies';

function requestOf(raw: Readable, organizationId = ''): FastifyRequest {
  const time = { pausedFor: (wait: () => unknown) => wait() };
  return { raw, headers: {}, time, principal: { organizationId } } as unknown as FastifyRequest;
}

describe('a whole body', () => {
  const MAX_BYTES = 1024 * 1024;

  it('is what was sent, however it was cut', async () => {
    const parts = ['a', '', 'bc', 'd'.repeat(5_000), 'e'];
    const body = await readBody(requestOf(Readable.from(parts.map((part) => Buffer.from(part)))), 5_004);
    expect(body.toString()).toBe(parts.join(''));
  });

  it('of a client that went away before it was read is cut off', async () => {
    const raw = new PassThrough();
    raw.destroy();
    await new Promise((resolve) => raw.once('close', resolve));
    await expect(readBody(requestOf(raw), MAX_BYTES)).rejects.toMatchObject({
      problem: { code: 'request_malformed', status: 400 },
    });
  });

  it('may have as many bytes as are allowed, and none more', async () => {
    const bodyOf = (bytes: number) => Readable.from([Buffer.alloc(bytes - 1), Buffer.alloc(1)]);
    expect(await readBody(requestOf(bodyOf(MAX_BYTES)), MAX_BYTES)).toHaveLength(MAX_BYTES);
    await expect(readBody(requestOf(bodyOf(MAX_BYTES + 1)), MAX_BYTES)).rejects.toMatchObject({
      problem: { code: 'body_too_large' },
    });
  });

  it('that is large has one of the six places of its organization, and gives it back', async () => {
    const large = () => {
      const raw = new PassThrough({ highWaterMark: MAX_BYTES });
      raw.write(Buffer.alloc(300_000));
      return raw;
    };
    const read = (raw: Readable, organizationId = 'acme') =>
      readBody(requestOf(raw, organizationId), MAX_BYTES);
    const open = Array.from({ length: 6 }, large);
    const bodies = open.map((raw) => read(raw));
    await new Promise(setImmediate);
    await expect(read(large())).rejects.toMatchObject({
      problem: { code: 'rate_limited', limit: 'at_once' },
    });
    expect(await read(Readable.from([Buffer.alloc(1_000)]))).toHaveLength(1_000);
    expect(await read(large().end(), 'other')).toHaveLength(300_000);
    open[0]!.end();
    open[1]!.destroy();
    await bodies[0];
    await expect(bodies[1]).rejects.toMatchObject({ problem: { code: 'request_malformed' } });
    expect(await Promise.all([read(large().end()), read(large().end())])).toHaveLength(2);
    for (const raw of open) raw.end();
    await Promise.all(bodies.slice(2));
  });
});
