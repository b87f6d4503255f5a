import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { bodyChunks } from './request-bodies';

function requestOf(raw: Readable): FastifyRequest {
  return { raw } as unknown as FastifyRequest;
}

describe('the chunks of a body', () => {
  it('come as they were sent', async () => {
    const chunks = [Buffer.from('a'), Buffer.from('b')];
    const read: Buffer[] = [];
    for await (const chunk of bodyChunks(requestOf(Readable.from(chunks)))) read.push(chunk);
    expect(read).toEqual(chunks);
  });

  it('that nobody reads any more are passed over; the connection stays', async () => {
    const raw = Readable.from(
      Array.from({ length: 50 }, () => Buffer.alloc(100_000)),
      { objectMode: false },
    );
    for await (const _ of bodyChunks(requestOf(raw))) break;
    expect(raw.destroyed).toBe(false);
    await new Promise((resolve) => raw.once('end', resolve));
  });

  it('end in a problem of the request, not of ours, when the client goes away', async () => {
    const raw = new Readable({ read: () => undefined });
    raw.push('a');
    const chunks = bodyChunks(requestOf(raw));
    await chunks.next();
    raw.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' }));
    await expect(chunks.next()).rejects.toMatchObject({
      problem: { code: 'request_malformed', status: 400 },
    });
  });
});
