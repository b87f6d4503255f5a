import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConcurrencyLimit } from '@cxp/rate-limit';
import { nextTurn } from '../turns/next-turn';

/** An answer that is smaller is sent whole, with its length. In bytes. */
const LARGE_BYTES = 256 * 1_024;

/** Large answers hold memory until they are read: a piece that is sent and the next one. */
const largeAnswers = new ConcurrencyLimit({ perOrganization: 16, total: 128 });

/**
 * Answers JSON that is made piece by piece. If it is large, the next piece is made when the client has read the last one, so that
 * memory does not grow with the answer; a failure then cuts the connection. A failure before that is answered with its status.
 * @returns what the handler returns
 * @throws ProblemError 429 or 503 if too many large answers are not read yet
 */
export async function answerInPieces(
  pieces: AsyncIterable<string | Buffer>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Buffer | StreamableFile> {
  const source = pieces[Symbol.asyncIterator]();
  const begun: Buffer[] = [];
  for (let bytes = 0; bytes < LARGE_BYTES;) {
    const next = await source.next();
    if (next.done) {
      void reply.type(JSON_TYPE);
      return Buffer.concat(begun);
    }
    // Its length, the answer and the socket would each encode a text anew.
    const piece = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
    begun.push(piece);
    bytes += piece.length;
  }
  try {
    largeAnswers.holdUntilClosed(request.principal?.organizationId ?? '', reply.raw);
  } catch (error) {
    await source.return?.();
    throw error;
  }
  return new StreamableFile(Readable.from(rest(begun, source), { objectMode: false }), { type: JSON_TYPE });
}

/**
 * `{"items":[…], …}`: some items at a time, and then the members that follow them.
 * @param toJson items as JSON, separated by commas
 * @param end the members that follow, called after the last items
 */
export async function* itemsJson<Item>(
  reads: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  toJson: (items: readonly Item[]) => string | Buffer | Promise<string | Buffer>,
  end: () => object = () => ({}),
): AsyncGenerator<string | Buffer, void> {
  let separator = '{"items":[';
  for await (const items of reads) {
    if (items.length === 0) continue;
    if (separator === ',') await nextTurn();
    const json = await toJson(items);
    if (typeof json === 'string') yield separator + json;
    else yield* [separator, json];
    separator = ',';
  }
  const members = JSON.stringify(end()).slice(1, -1);
  yield `${separator === ',' ? '' : separator}]${members && ','}${members}}`;
}

/** Items that are there already, some at a time. */
export function* inPieces<Item>(items: readonly Item[], count: number): Generator<readonly Item[], void> {
  for (let start = 0; start < items.length; start += count) yield items.slice(start, start + count);
}

const JSON_TYPE = 'application/json; charset=utf-8';

async function* rest(
  begun: Buffer[],
  source: AsyncIterator<string | Buffer>,
): AsyncGenerator<string | Buffer, void> {
  try {
    yield Buffer.concat(begun);
    // What is sent is not kept.
    begun.length = 0;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
