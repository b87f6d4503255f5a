import type { ChainableCommander } from 'ioredis';

/** A record on its way from one service to another. */
export interface StreamedRecord {
  readonly organizationId: string;
  readonly type: string;
  readonly data: object;
}

/** The Redis stream that carries the records of an area. */
export function recordStream(area: string): string {
  return `records:{${area}}`;
}

/** Where records go that can't be stored, with the reason. */
export function rejectedRecordStream(area: string): string {
  return `${recordStream(area)}:rejected`;
}

/** Adds a record to the end of an area's stream: the line that the other roads in carry, and whose it is. */
export function addToStream(
  commands: ChainableCommander,
  area: string,
  { organizationId, type, data }: StreamedRecord,
): void {
  commands.xadd(
    recordStream(area),
    '*',
    ...['organization_id', organizationId, 'record', JSON.stringify({ type, data })],
  );
}

/** An entry as it is read; what a producer left out is empty. */
export interface StreamEntry {
  readonly id: string;
  readonly organizationId: string;
  readonly record: string;
}

/** What Redis answers for an entry: its id, its fields and values in turn. */
export type RawStreamEntry = readonly [id: string, fields: readonly string[] | null];

export function toStreamEntry([id, fields]: RawStreamEntry): StreamEntry {
  const value = (name: string) => {
    const at = (fields ?? []).findIndex((field, i) => i % 2 === 0 && field === name);
    return at === -1 ? '' : fields![at + 1]!;
  };
  return { id, organizationId: value('organization_id'), record: value('record') };
}
