import { Redis } from 'ioredis';
import { acknowledgedRecords, recordStream } from '@cxp/record-intake';

const STREAM = recordStream('contact-center');
const MAX_RECORDS = 2_000;
const WAIT_MS = 100;

type StreamEntries = readonly [id: string, fields: string[]][];

/**
 * Stands in for area B where only webchat-gateway is measured: takes its records off the stream and acknowledges them. Without a
 * reader the gateway would keep what it sent, and look for it again and again.
 */
export class AcknowledgingReader {
  private readonly redis: Redis;
  private readonly finished: Promise<void>;
  private isStopped = false;

  constructor(redisUrl: string) {
    this.redis = new Redis(redisUrl);
    this.finished = this.run();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.finished;
    this.redis.disconnect();
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      const read = await this.redis.xread('COUNT', MAX_RECORDS, 'BLOCK', WAIT_MS, 'STREAMS', STREAM, '0');
      const entries: StreamEntries = read?.[0]?.[1] ?? [];
      if (entries.length === 0) continue;
      await this.redis
        .multi()
        .xdel(STREAM, ...entries.map(([id]) => id))
        .rpush(
          acknowledgedRecords('contact-center'),
          ...entries.map(([, fields]) => acknowledgementOf(fields)),
        )
        .exec();
    }
  }
}

/** @param fields names and values in turn */
function acknowledgementOf(fields: readonly string[]): string {
  return fields[fields.indexOf('acknowledge') + 1]!;
}
