import type { DataSource, EntityManager } from 'typeorm';
import { ProblemError, type InvalidItem } from '@cxp/error-envelopes';
import { isDataFault, isDependencyUnavailable } from '@cxp/storage';
import type { ReceivedRecord, RecordArea } from '../record-area';
import { RecordParser } from '../record-parser';
import { tryIntakeTurn } from '../store-records';
import type { Refusal } from './unstored-records';

/** How long a statement may wait for a lock, or take, while other organizations wait for it, in milliseconds. */
const TIMEOUTS = { lockMs: 1_000, statementMs: 10_000 };

/** Something that holds the line of a record. */
interface WithRecord {
  readonly record: string;
}

/** What became of records in one transaction. */
export interface Settled<Kept extends WithRecord> {
  readonly stored: readonly Kept[];
  readonly refused: readonly (Kept & Refusal)[];
}

/** How far an organization's records were stored. */
export interface Progress {
  readonly stored: number;
  readonly refused: number;
  /** Why the records after those were not stored, if there are any: all of them have to be tried again. */
  readonly obstacle?: Obstacle;
}

export interface Obstacle {
  /** Somebody else stores records of the organization: not an error. */
  readonly isBusy: boolean;
  readonly reason: string;
}

const BUSY: Obstacle = { isBusy: true, reason: 'another intake of the organization is under way' };

/** Stores records that came by a stream, or that are kept in PostgreSQL, one organization's at a time and in their order. */
export class StreamRecords {
  private readonly parser: RecordParser;

  constructor(
    private readonly dataSource: DataSource,
    private readonly area: RecordArea,
  ) {
    this.parser = new RecordParser(area);
  }

  /**
   * Stores records until one can't be stored now. A record is refused only if it does not pass its check, or PostgreSQL says that
   * its data is at fault; any other failure, known or not, is an obstacle, and the record has to be tried again. Every record
   * is an upsert, so storing one again changes nothing.
   * @param settle called in each transaction: to keep what is refused, and to remove records from where they were kept
   */
  async store<Kept extends WithRecord>(
    organizationId: string,
    records: readonly Kept[],
    settle: (manager: EntityManager, settled: Settled<Kept>) => Promise<void>,
  ): Promise<Progress> {
    if (records.length === 0) return { stored: 0, refused: 0 };
    try {
      const settled = await tryIntakeTurn(
        this.dataSource,
        this.area.name,
        organizationId,
        async (manager) => {
          const result = await this.write(manager, organizationId, records);
          await settle(manager, result);
          return result;
        },
        TIMEOUTS,
      );
      if (!settled) return { stored: 0, refused: 0, obstacle: BUSY };
      return { stored: settled.stored.length, refused: settled.refused.length };
    } catch (error) {
      // Fewer records would not help: it would only take longer, and other organizations wait.
      if (isDependencyUnavailable(error)) return stoppedBy(error);
      if (error instanceof ProblemError && error.problem.code === 'invalid')
        return this.storeOthers(organizationId, records, error.problem.items, settle);
      if (records.length === 1) return await this.refuse(records[0]!, error, settle);
    }
    // One record spoils the transaction of all: halves show which, and the ones before it are stored.
    const middle = Math.ceil(records.length / 2);
    const first = await this.store(organizationId, records.slice(0, middle), settle);
    if (first.obstacle) return first;
    const second = await this.store(organizationId, records.slice(middle), settle);
    return {
      ...second,
      stored: first.stored + second.stored,
      refused: first.refused + second.refused,
    };
  }

  /** Stores the records of a transaction but those that it found to be wrong at its end. */
  private async storeOthers<Kept extends WithRecord>(
    organizationId: string,
    records: readonly Kept[],
    problems: readonly InvalidItem[],
    settle: (manager: EntityManager, settled: Settled<Kept>) => Promise<void>,
  ): Promise<Progress> {
    const reasons = new Map(problems.map(({ loc, msg }) => [Number(loc[1]), reasonOf(loc, msg)]));
    const others = records.filter((_, place) => !reasons.has(place));
    if (others.length === records.length) return stoppedBy(problems[0]?.msg);
    const refused = [...reasons].map(([place, reason]) => ({ ...records[place]!, reason }));
    const progress = await this.store(organizationId, others, settle);
    if (progress.obstacle) return progress;
    try {
      await this.dataSource.transaction((manager) => settle(manager, { stored: [], refused }));
    } catch (failure) {
      return stoppedBy(failure);
    }
    return { ...progress, refused: progress.refused + refused.length };
  }

  /** The record's type and key, for people. */
  describe(record: string): { type: string; key: string } {
    try {
      const { type, data } = JSON.parse(record) as { type?: unknown; data?: Record<string, unknown> };
      const name = typeof type === 'string' ? type : '';
      const key = this.area.types[name]?.key;
      const value = key ? data?.[key] : undefined;
      return {
        type: name.slice(0, MAX_SHOWN),
        key: typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, MAX_SHOWN) : '',
      };
    } catch {
      return { type: '', key: '' };
    }
  }

  private async write<Kept extends WithRecord>(
    manager: EntityManager,
    organizationId: string,
    records: readonly Kept[],
  ): Promise<Settled<Kept>> {
    const refusals = new Map<number, string[]>();
    const refuse = (place: number, reason: string): void =>
      void refusals.set(place, [...(refusals.get(place) ?? []), reason]);
    const sound: ReceivedRecord[] = [];
    records.forEach(({ record }, place) => {
      if (organizationId === '') return refuse(place, 'organization_id is missing');
      const parsed = this.parser.parse({ number: place, bytes: Buffer.from(record) });
      if ('data' in parsed) sound.push(parsed);
      else for (const { loc, msg } of parsed) refuse(place, reasonOf(loc, msg));
    });
    await this.area.store(manager, organizationId, sound);
    return {
      stored: records.filter((_, place) => !refusals.has(place)),
      refused: [...refusals].map(([place, reasons]) => ({ ...records[place]!, reason: reasons.join('; ') })),
    };
  }

  private async refuse<Kept extends WithRecord>(
    record: Kept,
    error: unknown,
    settle: (manager: EntityManager, settled: Settled<Kept>) => Promise<void>,
  ): Promise<Progress> {
    if (!isDataFault(error)) {
      const { type, key } = this.describe(record.record);
      return stoppedBy(error, `${type || 'a record'} ${key}: `);
    }
    try {
      // That PostgreSQL stores this shows that it was the record's fault.
      await this.dataSource.transaction((manager) =>
        settle(manager, { stored: [], refused: [{ ...record, reason: String(error) }] }),
      );
      return { stored: 0, refused: 1 };
    } catch (failure) {
      return stoppedBy(failure);
    }
  }
}

/** @param loc of something wrong in a line: `body` and the number of the line come first */
function reasonOf(loc: readonly (string | number)[], msg: string): string {
  return `${loc.slice(2).join('.') || 'record'}: ${msg}`;
}

/** Characters of a type or key that are shown. */
const MAX_SHOWN = 255;

function stoppedBy(error: unknown, record = ''): Progress {
  return { stored: 0, refused: 0, obstacle: { isBusy: false, reason: `${record}${String(error)}` } };
}
