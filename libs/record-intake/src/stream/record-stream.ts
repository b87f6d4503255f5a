import type { Redis } from 'ioredis';
import type { PlatformRecord } from '@cxp/platform-records';
import { RedisScript } from '@cxp/storage';

/** A record on its way from one service to another. */
export type StreamedRecord<Record extends PlatformRecord = PlatformRecord> = Record & {
  readonly organizationId: string;
};

/** How long acknowledgements are kept for a producer that does not read them, in seconds. */
const ACKNOWLEDGEMENTS_KEPT_SECONDS = 3_600;

/** How many are kept, the latest: a record whose acknowledgement is lost is sent, and acknowledged, again. */
export const MAX_ACKNOWLEDGEMENTS = 100_000;

/** The most characters of the id that a record is acknowledged by. */
const MAX_ACKNOWLEDGE_LENGTH = 255;

/** The Redis stream that carries the records of an area. */
export function recordStream(area: string): string {
  return `records:{${area}}`;
}

/** The list of the ids that producers gave to records that are in PostgreSQL by now. */
export function acknowledgedRecords(area: string): string {
  return `${recordStream(area)}:acknowledged`;
}

/** ARGV: of each entry the organization, the record, and what it is acknowledged as, or nothing. */
const ADD = new RedisScript<string[]>(`
  local ids = {}
  for i = 1, #ARGV, 3 do
    local fields = {'organization_id', ARGV[i], 'record', ARGV[i + 1]}
    if ARGV[i + 2] ~= '' then
      fields[5] = 'acknowledge'
      fields[6] = ARGV[i + 2]
    end
    ids[#ids + 1] = redis.call('XADD', KEYS[1], '*', unpack(fields))
  end
  return ids`);

/** A record, and what comes back through `acknowledgedRecords` once it is in PostgreSQL: until then Redis may lose it. */
export interface AddedRecord {
  readonly record: StreamedRecord;
  readonly acknowledgeAs?: string;
}

/**
 * Adds records to the end of an area's stream, all of them or none: the lines that the other roads in carry, and whose they are.
 * @returns the ids of their entries
 */
export function addToStream(redis: Redis, area: string, records: readonly AddedRecord[]): Promise<string[]> {
  const fields = records.flatMap(({ record: { organizationId, ...record }, acknowledgeAs = '' }) => [
    organizationId,
    JSON.stringify(record),
    acknowledgeAs,
  ]);
  return ADD.run(redis, [recordStream(area)], fields);
}

/** Answers the producer that these entries are in PostgreSQL. */
export async function acknowledge(
  redis: Redis,
  area: string,
  entries: readonly StreamEntry[],
): Promise<void> {
  const ids = entries.map((entry) => entry.acknowledgeAs).filter((id) => id !== '');
  if (ids.length === 0) return;
  const list = acknowledgedRecords(area);
  await redis
    .multi()
    .rpush(list, ...ids)
    .ltrim(list, -MAX_ACKNOWLEDGEMENTS, -1)
    .expire(list, ACKNOWLEDGEMENTS_KEPT_SECONDS)
    .exec();
}

/** The most characters of an organization's id: it is indexed. */
const MAX_ORGANIZATION_LENGTH = 255;

/** An entry as it is read; a field that its producer left out is empty, as is an organization that none can have. */
export interface StreamEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly record: string;
  readonly acknowledgeAs: string;
}

/** What Redis answers for an entry: its id, its fields and values in turn. */
export type RawStreamEntry = readonly [id: string, fields: readonly string[] | null];

export function toStreamEntry([id, fields]: RawStreamEntry): StreamEntry {
  const value = (name: string) => {
    const at = (fields ?? []).findIndex((field, i) => i % 2 === 0 && field === name);
    return at === -1 ? '' : fields![at + 1]!;
  };
  const organizationId = value('organization_id');
  const acknowledgeAs = value('acknowledge');
  const canBe = organizationId.length <= MAX_ORGANIZATION_LENGTH && !organizationId.includes('\0');
  return {
    id,
    organizationId: canBe ? organizationId : '',
    record: value('record'),
    acknowledgeAs: acknowledgeAs.length <= MAX_ACKNOWLEDGE_LENGTH ? acknowledgeAs : '',
  };
}

/** What is read at once at most: so many entries, or, of large ones, so many bytes and the few entries that pass them. */
const BATCH = { entries: 500, bytes: 4 * 1024 * 1024, entriesOfStep: 10 };

/** KEYS: stream. ARGV: group, consumer, from, entries, bytes, entries of a step. A stream tells the size of an entry only with the entry. */
const READ_BATCH = new RedisScript<RawStreamEntry[]>(`
  local batch, bytes, from = {}, 0, ARGV[3]
  while #batch < tonumber(ARGV[4]) and bytes < tonumber(ARGV[5]) do
    local answer = redis.call('XREADGROUP', 'GROUP', ARGV[1], ARGV[2], 'COUNT', ARGV[6], 'STREAMS', KEYS[1], from)
    local entries = answer and answer[1][2] or {}
    if #entries == 0 then break end
    for _, entry in ipairs(entries) do
      batch[#batch + 1] = entry
      for _, text in ipairs(entry[2] or {}) do bytes = bytes + #text end
    end
    if from ~= '>' then from = entries[#entries][1] end
  end
  return batch`);

/**
 * The first entries of a stream, for one consumer of a group.
 * @param from `0`: those that it read before and did not acknowledge; `>`: those that were never read
 */
export function readBatch(
  redis: Redis,
  stream: string,
  group: string,
  consumer: string,
  from: '0' | '>',
): Promise<RawStreamEntry[]> {
  const args = [group, consumer, from, BATCH.entries, BATCH.bytes, BATCH.entriesOfStep];
  return READ_BATCH.run(redis, [stream], args);
}
