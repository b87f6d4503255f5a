import { setTimeout as sleep } from 'node:timers/promises';
import { acknowledge, recordStream, toStreamEntry, type StreamedRecord } from '@cxp/record-intake';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';

const AREA = 'contact-center';
export const STREAM = recordStream(AREA);

/** Reads the stream in the place of area B, which acknowledges a record after it has stored it. */
export class RecordReader {
  readonly records: StreamedRecord[] = [];
  private isReading = true;
  private readonly finished: Promise<void>;

  constructor(private readonly service: TestService) {
    this.finished = this.read();
  }

  /** How many changes are not acknowledged. */
  async waiting(): Promise<number> {
    return (await this.service.dataSource.query('SELECT FROM webchat.outbox')).length;
  }

  /** The organization's records, once all changes are acknowledged. */
  async recordsOf({ organizationId }: Caller): Promise<Omit<StreamedRecord, 'organizationId'>[]> {
    await eventually(async () => (await this.waiting()) === 0);
    return this.records
      .filter((record) => record.organizationId === organizationId)
      .map(({ type, data }) => ({ type, data }));
  }

  async stop(): Promise<void> {
    this.isReading = false;
    await this.finished;
  }

  private async read(): Promise<void> {
    const { redis } = this.service;
    while (this.isReading) {
      const entries = (await redis.xrange(STREAM, '-', '+').catch(() => [])).map(toStreamEntry);
      for (const { organizationId, record } of entries) {
        this.records.push({ organizationId, ...JSON.parse(record) });
      }
      if (entries.length > 0) await redis.xdel(STREAM, ...entries.map(({ id }) => id));
      await acknowledge(redis, AREA, entries);
      await sleep(5);
    }
  }
}
