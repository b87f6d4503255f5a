import { randomUUID } from 'node:crypto';
import { open, unlink, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DependencyUnavailableError } from '@cxp/storage';

/** The bytes of a body that are kept in memory. What comes after them goes to a file. */
const MEMORY_BYTES = 256 * 1024;

/** Between two reads of this size PostgreSQL's answers are read: larger ones would let it wait for its next statement. */
const READ_BYTES = 64 * 1024;

/**
 * Where a body waits until all of it has arrived, so that a client that sends slowly holds no connection and no lock meanwhile:
 * in memory, and, if it is large, in a file that nobody else can open and that vanishes with the process.
 */
export class BodySpool {
  private readonly head: Buffer[] = [];
  private headBytes = 0;
  private file: FileHandle | undefined;

  /** Whether all that came so far is kept in memory. */
  get isInMemory(): boolean {
    return !this.file;
  }

  /**
   * The chunks of a body, each kept before it is passed on.
   * @throws DependencyUnavailableError if there is no room for a file
   */
  async *keeping(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      if (!this.file && this.headBytes + chunk.length <= MEMORY_BYTES) {
        this.head.push(chunk);
        this.headBytes += chunk.length;
      } else {
        await this.append(chunk);
      }
      yield chunk;
    }
  }

  /** All that was kept, from the beginning. */
  async *read(): AsyncGenerator<Buffer> {
    yield* this.head;
    if (!this.file) return;
    const rest = this.file.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES });
    yield* rest as AsyncIterable<Buffer>;
  }

  async remove(): Promise<void> {
    await this.file?.close();
  }

  private async append(chunk: Buffer): Promise<void> {
    try {
      this.file ??= await openUnnamedFile();
      await this.file.appendFile(chunk);
    } catch (error) {
      throw new DependencyUnavailableError('temporary files', { cause: error });
    }
  }
}

/** A file without a name takes no room any more once it is closed, however the process ends. */
async function openUnnamedFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `records-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  await unlink(path);
  return file;
}
