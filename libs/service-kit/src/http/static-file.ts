import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

const compress = promisify(gzip);

export type StaticContent = {
  /** The media type of UTF-8 text. */
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
} & (
  | { readonly text: () => string }
  /** The build puts the compressed `<file>.gz` beside it. */
  | { readonly file: string }
);

interface Prepared {
  readonly version: string;
  readonly plain: Buffer;
  readonly gzipped: Buffer;
}

/** Loaded on first request, to save idle memory; then all answers share two buffers. */
export class StaticFile {
  private prepared: Promise<Prepared> | undefined;

  constructor(private readonly content: StaticContent) {}

  async answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { version, plain, gzipped } = await this.current();
    const isGzipped = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(
      String(request.headers['accept-encoding']),
    );
    const isVersioned = (request.query as { v?: unknown } | null)?.v === version;
    const etag = isGzipped ? `"${version}-gzip"` : `"${version}"`;
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

  private current(): Promise<Prepared> {
    this.prepared ??= this.prepare().catch((error: unknown) => {
      this.prepared = undefined;
      throw error;
    });
    return this.prepared;
  }

  private async prepare(): Promise<Prepared> {
    const { content } = this;
    if ('text' in content) {
      const plain = Buffer.from(content.text());
      return { version: contentVersion(plain), plain, gzipped: await compress(plain, { level: 9 }) };
    }
    const [plain, gzipped] = await Promise.all([readFile(content.file), readFile(`${content.file}.gz`)]);
    return { version: contentVersion(plain), plain, gzipped };
  }
}

/** In an address's query `v` it lets clients cache the answer without asking again. */
export function contentVersion(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22);
}

function names(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}
