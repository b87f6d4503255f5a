import { Counter, Gauge, type Registry } from 'prom-client';
import type { Progress } from './stream-records';
import type { UnstoredRecords } from './unstored-records';
import type { WaitingOrganizations } from './waiting-organizations';

interface Sources {
  readonly backlog: () => Promise<number>;
  readonly waiting: () => WaitingOrganizations;
  readonly rejected: UnstoredRecords;
}

/** Rejected records of an organization that are counted at most: they are asked for every few seconds. */
const MAX_COUNTED = 1_000;

/** The metric of records that were put aside. */
export function countRejectedRecords(registry: Registry, rejected: UnstoredRecords): void {
  new Gauge({
    name: 'rejected_records',
    help: 'Records that were put aside because their data is at fault, by organization, of each 1,000 at most',
    labelNames: ['organization'],
    registers: [registry],
    async collect() {
      const counts = await rejected.countRejected(MAX_COUNTED).catch(() => []);
      this.reset();
      for (const { organizationId, count } of counts) this.set({ organization: organizationId }, count);
    },
  });
}

/** What is seen of a record stream from outside. */
export class StreamMetrics {
  readonly entries: Counter;
  readonly failures: Counter;

  constructor(registry: Registry, { backlog, waiting, rejected }: Sources) {
    const registers = [registry];
    this.entries = new Counter({
      name: 'record_stream_entries_total',
      help: 'Records of the stream by outcome: stored, rejected, or deferred, which are stored or rejected later',
      labelNames: ['outcome'],
      registers,
    });
    this.failures = new Counter({
      name: 'record_stream_failures_total',
      help: 'Failures to store records of the stream that are tried again: of the whole stream, or of one organization',
      labelNames: ['of'],
      registers,
    });
    new Gauge({
      name: 'record_stream_backlog',
      help: 'Entries of the record stream that PostgreSQL does not have yet',
      registers,
      async collect() {
        this.set(await backlog().catch(() => NaN));
      },
    });
    new Gauge({
      name: 'record_stream_waiting_organizations',
      help: 'Organizations whose records wait in PostgreSQL to be stored; 0 in processes that do not read the stream',
      registers,
      collect() {
        this.set(waiting().size);
      },
    });
    new Gauge({
      name: 'record_stream_waiting_oldest_seconds',
      help: 'For how long an organization has had records waiting, the longest; 0 in processes that do not read the stream',
      registers,
      collect() {
        const { since } = waiting();
        this.set(since === undefined ? 0 : Math.max(0, Date.now() - since) / 1_000);
      },
    });
    countRejectedRecords(registry, rejected);
  }

  count({ stored, refused }: Progress): void {
    this.entries.inc({ outcome: 'stored' }, stored);
    this.entries.inc({ outcome: 'rejected' }, refused);
  }
}
