import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChangeBatch } from '@cxp/client';
import { parquetFile, type ParquetRow, parquetRowCount, parquetRows } from '@cxp/spreadsheet';
import { CommandError } from '../environment';
import { FILE_COLUMNS, type FileColumn } from './file-columns';
import type { CopiedRow, FollowedArea, FollowedChange } from './followed-area';
import { type Copy, type CopyState, stateAfter } from './follower';

/** Changes are kept in memory until there are so many of them, or so much text. */
const KEPT = { changes: 20_000, characters: 32 * 1_024 * 1_024 };

/** Readers of the directory do not look into a folder whose name begins with a dot. */
const OWN_FOLDER = '.cxp-follow';
const TEMPORARY = '.written';
const DAY_FILE = /^(\d{4}-\d{2}-\d{2})\.parquet$/;

interface StoredState extends CopyState {
  readonly area: string;
  readonly organizationId: string;
  /** The days of a reading that has come to its end, while their files take the place of those before. */
  readonly publishing?: readonly string[];
}

interface KeptChange {
  readonly change: FollowedChange;
  readonly characters: number;
  /** Where its row belongs; undefined: it is gone. */
  readonly day: string | undefined;
}

/** Whether a change ends the row that a file has. */
type Leaves = (kept: KeptChange) => boolean;

/**
 * A copy as one Parquet file for each day. A file is replaced as a whole, and the cursor is stored after the files: whoever goes on from an
 * older cursor finds the same changes again, and files that have them already come out the same.
 */
export class DirectoryCopy implements Copy {
  readonly name: string;
  private readonly own: string;
  private readonly stateFile: string;
  /** The days of a reading from the beginning, until it has come to its end. */
  private readonly reading: string;
  private stored: StoredState;
  private storedText = '';
  private readonly kept = new Map<string, KeptChange>();
  private characters = 0;

  constructor(
    private readonly directory: string,
    private readonly area: FollowedArea,
    organizationId: string,
    private readonly most = KEPT,
  ) {
    this.name = directory;
    this.own = join(directory, OWN_FOLDER);
    this.stateFile = join(this.own, 'state.json');
    this.reading = join(this.own, 'reading');
    this.stored = { area: area.name, organizationId, cursor: null, reading: 0, isComplete: false };
  }

  async open(): Promise<CopyState> {
    await mkdir(this.own, { recursive: true });
    for (const name of await readdir(this.own)) if (name.endsWith(TEMPORARY)) await rm(join(this.own, name));
    this.storedText = await this.readState();
    if (this.storedText !== '') {
      const { area, organizationId } = this.stored;
      this.stored = JSON.parse(this.storedText) as StoredState;
      if (this.stored.area !== area || this.stored.organizationId !== organizationId)
        throw new CommandError(
          `${this.directory} is a copy of organization ${this.stored.organizationId}, ${this.stored.area}`,
        );
    } else if ((await this.publishedDays()).length > 0) {
      throw new CommandError(`${this.directory} holds files that are not of cxp follow`);
    }
    if (this.stored.publishing) await this.finishPublishing(this.stored.publishing);
    if (this.stored.isComplete || this.stored.cursor === null) await this.emptyReading();
    return this.stored;
  }

  async store(state: CopyState, batch: ChangeBatch<FollowedChange>): Promise<CopyState> {
    const next = stateAfter(state, batch);
    if (batch.startsOver !== null) {
      this.forgetKept();
      await this.save({ cursor: null, reading: next.reading, isComplete: false });
      await this.emptyReading();
    }
    for (const item of batch.items) this.keep(item);
    if (!batch.isCurrent && !this.isFull()) return next;
    await this.write();
    if (next.isComplete === this.stored.isComplete) await this.save(next);
    else await this.publish(next);
    return next;
  }

  async count(): Promise<number> {
    let rows = 0;
    for (const day of await this.publishedDays()) rows += await parquetRowCount(this.fileOf(day));
    return rows;
  }

  async *rows(): AsyncGenerator<CopiedRow & { readonly digest: string }> {
    const { keyColumns, extraColumn } = this.area;
    for (const day of await this.publishedDays()) {
      for await (const rows of parquetRows(this.fileOf(day))) {
        for (const { change: _, digest, ...fields } of rows) {
          const key = Object.fromEntries(keyColumns.map(({ member }) => [member, fields[member]]));
          const { [extraColumn.member]: extra, ...row } = fields;
          yield { key, extra, row, digest } as CopiedRow & { digest: string };
        }
      }
    }
  }

  private keep(change: FollowedChange): void {
    const key = this.keyOf(change.key);
    const characters = change.row ? JSON.stringify(change.row).length : key.length;
    this.characters += characters - (this.kept.get(key)?.characters ?? 0);
    const row = change.row as CopiedRow['row'];
    const day = change.op === 'delete' ? undefined : this.area.dayOf({ row, extra: this.extraOf(change) });
    this.kept.set(key, { change, characters, day });
  }

  private isFull(): boolean {
    return this.kept.size >= this.most.changes || this.characters >= this.most.characters;
  }

  private forgetKept(): void {
    this.kept.clear();
    this.characters = 0;
  }

  private keyOf(fields: Readonly<Record<string, unknown>>): string {
    return JSON.stringify(this.area.keyColumns.map(({ member }) => fields[member] ?? null));
  }

  /** Brings what is kept into the files: each row arrives in the file of its day before it leaves any other one. */
  private async write(): Promise<void> {
    if (this.kept.size === 0) return;
    if ((await this.readState()) !== this.storedText)
      throw new CommandError(`another follower writes to ${this.directory}`);
    const arrived = new Map<string, KeptChange[]>();
    for (const kept of this.kept.values()) {
      if (kept.day === undefined) continue;
      if (!arrived.has(kept.day)) arrived.set(kept.day, []);
      arrived.get(kept.day)!.push(kept);
    }
    const days = this.stored.isComplete ? await this.publishedDays() : await this.readDays();
    for (const [day, rows] of arrived) {
      await this.writeDay(day, !days.includes(day), rows, (kept) => (kept.day ?? day) === day);
    }
    for (const day of days) {
      const leaves: Leaves = (kept) => kept.day !== day;
      if (await this.holds(day, leaves)) await this.writeDay(day, false, [], leaves);
    }
    await this.syncFolders();
    this.forgetKept();
  }

  /** Whether a file has a row that leaves it. */
  private async holds(day: string, leaves: Leaves): Promise<boolean> {
    const keyMembers = this.area.keyColumns.map(({ member }) => member);
    for await (const rows of parquetRows(this.currentFileOf(day), keyMembers)) {
      if (rows.some((row) => this.isLeaving(row, leaves))) return true;
    }
    return false;
  }

  private isLeaving(row: ParquetRow, leaves: Leaves): boolean {
    const kept = this.kept.get(this.keyOf(row));
    return kept !== undefined && leaves(kept);
  }

  private async writeDay(
    day: string,
    isNew: boolean,
    arrived: readonly KeptChange[],
    leaves: Leaves,
  ): Promise<void> {
    const file = this.currentFileOf(day);
    const written = this.temporaryFile();
    let isEmpty = true;
    const { area } = this;
    const isLeaving = (row: ParquetRow) => this.isLeaving(row, leaves);
    const fieldsOf = (change: FollowedChange) => this.fieldsOf(change);
    async function* rowsOfDay() {
      if (!isNew) {
        for await (const rows of parquetRows(file)) {
          const staying = rows.filter((row) => !isLeaving(row));
          if (staying.length > 0) isEmpty = false;
          yield staying;
        }
      }
      for (const { change } of arrived) {
        isEmpty = false;
        yield [fieldsOf(change)];
      }
    }
    const metadata = { area: area.name, organization: this.stored.organizationId, day };
    const bytesOf = (row: ParquetRow) => JSON.stringify(row).length;
    const columns = [...FILE_COLUMNS[area.name], ...OWN_COLUMNS];
    await writeDurably(written, parquetFile(rowsOfDay(), { columns, bytesOf, metadata }));
    if (isEmpty) {
      await rm(file);
      await rm(written);
    } else await rename(written, file);
  }

  private fieldsOf(change: FollowedChange): ParquetRow {
    const { row, digest } = change;
    return { ...row, [this.area.extraColumn.member]: this.extraOf(change), change: change.change, digest };
  }

  private extraOf(change: FollowedChange): string {
    return this.area.extraColumn.valueOf(change) as string;
  }

  private async publish(next: CopyState): Promise<void> {
    const publishing = await this.readDays();
    await this.save({ ...next, isComplete: false, publishing });
    await this.finishPublishing(publishing);
  }

  /** Lets the files of a reading that has come to its end take the place of those before. It may have begun before a kill. */
  private async finishPublishing(days: readonly string[]): Promise<void> {
    const read = new Set(await this.readDays());
    for (const day of latestFirst(days))
      if (read.has(day)) await rename(join(this.reading, day), this.fileOf(day));
    for (const day of await this.publishedDays()) if (!days.includes(day)) await rm(this.fileOf(day));
    await this.syncFolders();
    await this.save({ ...this.stored, isComplete: true, publishing: undefined });
  }

  private async emptyReading(): Promise<void> {
    await rm(this.reading, { recursive: true, force: true });
    await mkdir(this.reading);
  }

  private async publishedDays(): Promise<string[]> {
    return (await readdir(this.directory)).flatMap((name) => DAY_FILE.exec(name)?.[1] ?? []).sort();
  }

  private async readDays(): Promise<string[]> {
    return (await readdir(this.reading)).sort();
  }

  private fileOf(day: string): string {
    return join(this.directory, `${day}.parquet`);
  }

  private currentFileOf(day: string): string {
    return this.stored.isComplete ? this.fileOf(day) : join(this.reading, day);
  }

  private temporaryFile(): string {
    return join(this.own, randomUUID() + TEMPORARY);
  }

  private async readState(): Promise<string> {
    return readFile(this.stateFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
  }

  private async save(state: CopyState & Pick<StoredState, 'publishing'>): Promise<void> {
    const { area, organizationId } = this.stored;
    this.stored = { area, organizationId, ...state };
    this.storedText = `${JSON.stringify(this.stored)}\n`;
    const written = this.temporaryFile();
    await writeDurably(written, [Buffer.from(this.storedText)]);
    await rename(written, this.stateFile);
    await this.syncFolders();
  }

  /** What was renamed is so after a loss of power, too. */
  private async syncFolders(): Promise<void> {
    for (const folder of [this.reading, this.own, this.directory]) {
      const handle = await open(folder);
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  }
}

/** Most rows that have moved since the last reading are of later days, where they arrive before they leave the earlier one. */
function latestFirst(days: Iterable<string>): string[] {
  return [...days].sort().reverse();
}

/** What the feed says of a row beside its fields. */
const OWN_COLUMNS: readonly FileColumn[] = [
  { name: 'change', type: 'int64', isNullable: false, valueOf: ({ change }) => change },
  { name: 'digest', type: 'text', isNullable: false, valueOf: ({ digest }) => digest },
];

async function writeDurably(
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const handle = await open(path, 'w');
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
