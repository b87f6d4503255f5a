import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

export interface StaticContent {
  /** The media type; the text is UTF-8. */
  readonly type: string;
  readonly load: () => string | Buffer | Promise<string | Buffer>;
  /** Changes when `load` would give something else; without it, the content never changes. */
  readonly stamp?: () => Promise<string>;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Prepared {
  readonly hash: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/**
 * Something that is the same for everybody. It is loaded and compressed when it is first asked for, so that idle memory stays small, and
 * then answered from the same two buffers, however many ask at once.
 */
export class StaticFile {
  private latest: { readonly stamp: string | undefined; readonly prepared: Promise<Prepared> } | undefined;

  constructor(private readonly content: StaticContent) {}

  /** Names the content: in the query `v` of an address, it lets clients keep the answer without asking again. */
  async version(): Promise<string> {
    return (await this.current()).hash;
  }

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { hash, plain, gzipped } = await this.current();
    const isGzipped = /\bgzip\b/.test(String(request.headers['accept-encoding']));
    const isVersioned = (request.query as { v?: unknown } | null)?.v === hash;
    const etag = isGzipped ? `"${hash}-gzip"` : `"${hash}"`;
    void reply.headers({
      ...this.content.headers,
      etag,
      'cache-control': isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'accept-encoding',
    });
    if (names(request.headers['if-none-match'], etag)) return reply.status(304).send();
    if (isGzipped) void reply.header('content-encoding', 'gzip');
    return reply
      .header('content-type', `${this.content.type}; charset=utf-8`)
      .send(isGzipped ? gzipped : plain);
  }

  /** All who ask before it is prepared wait for the same preparation. */
  private async current(): Promise<Prepared> {
    const stamp = await this.content.stamp?.();
    if (!this.latest || this.latest.stamp !== stamp) {
      const latest = { stamp, prepared: this.prepare() };
      latest.prepared.catch(() => this.latest === latest && (this.latest = undefined));
      this.latest = latest;
    }
    return this.latest.prepared;
  }

  private async prepare(): Promise<Prepared> {
    const plain = Buffer.from(await this.content.load());
    const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
    return { hash, plain, gzipped: await compress(plain, { level: 9 }) };
  }
}

function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
