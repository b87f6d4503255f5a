import { hexDigest } from '@cxp/change-feed/row-digest';
import type { ChangeBatch, CxpClient, FollowOptions } from '@cxp/client';
import { CommandError } from './errors';
import type { CopiedRow, FollowedArea, FollowedChange } from './followed-area';

/** How far a copy has come. */
export interface CopyState {
  readonly cursor: string | null;
  /** Counts the readings from the beginning. */
  readonly reading: number;
  /** Whether the reading has come to its end once: then the copy holds no rows of earlier readings. */
  readonly isComplete: boolean;
  /** What the figures of the reading depend on: see `FollowedArea.schedule`. */
  readonly schedule: string | null;
  /** Whether the copy is a state that existed. */
  readonly isCurrent: boolean;
  /** The number of the last such state. */
  readonly change: number;
  /** The number at which the reading began. */
  readonly began: number;
}

/** Changes that are stored together. `schedule` and `began` are those of a reading that begins with them. */
export type StoredBatch = ChangeBatch<FollowedChange> & {
  readonly schedule?: string | null;
  readonly began?: number;
};

/** A copy of one area's rows, wherever the follower keeps it. It may be killed at any time, and opened again. */
export interface Copy {
  /** What messages call it. */
  readonly name: string;
  /** What it is a copy of. */
  readonly area: FollowedArea;
  /** @throws CommandError if it is a copy of something else */
  open(): Promise<CopyState>;
  /**
   * Keeps the changes and the cursor, or none of them. When a reading comes to its end, the rows that it did not find are removed.
   * @throws CommandError if another follower writes to it
   */
  store(state: CopyState, batch: StoredBatch): Promise<CopyState>;
  count(): Promise<number>;
  /** All rows, some thousands in memory at once. */
  rows(): AsyncGenerator<CopiedRow & { readonly digest: string }>;
}

/** The state after a batch. */
export function stateAfter(state: CopyState, batch: StoredBatch): CopyState {
  return {
    cursor: batch.cursor,
    reading: state.reading + (batch.startsOver === null ? 0 : 1),
    isComplete: batch.isCurrent || (batch.startsOver === null && state.isComplete),
    schedule: batch.schedule === undefined ? state.schedule : batch.schedule,
    isCurrent: batch.isCurrent,
    change: batch.isCurrent ? batch.change : state.change,
    began: batch.began ?? state.began,
  };
}

/** Rows that are stored at once. */
const ROWS_AT_ONCE = 5_000;
/** How often a group whose rows change while it is compared is looked at again. */
const MAX_LOOKS = 5;
/** Stands for the digest of a group with a row whose own digest does not fit. */
const DAMAGED = 'damaged';
/** How often a follower that goes on compares its copy. */
const VERIFY_EVERY_MS = 600_000;

export interface FollowerOptions {
  /** Ends when nothing more is found. */
  readonly once: boolean;
  /** Compares digests whenever the copy has caught up, and reads it again if they differ. */
  readonly verify: boolean;
  /** Waits until there may be something new, instead of asking for it. */
  readonly hinted?: () => Promise<void>;
  /** What happens, in a line each. */
  readonly report: (line: string) => void;
}

export interface FollowSummary {
  readonly rows: number;
  /** The number up to which the copy holds everything. */
  readonly change: number;
  /** `mended`: the groups that differed, so that the copy was read again. */
  readonly verified?: { readonly groups: number; readonly mended: readonly string[] };
}

interface Comparison {
  /** Days (of area C: of each campaign) that hold rows and were compared. */
  readonly groups: number;
  /** Those whose rows in the copy are not the rows of the service. */
  readonly differing: readonly string[];
}

/** Keeps a copy in step with the service. It may be killed at any time: the next one goes on where this one stopped. */
export class Follower {
  private state: CopyState | undefined;
  private change = 0;
  /** When the copy is compared again, by `performance.now`. */
  private verifyAt = 0;

  constructor(
    private readonly client: CxpClient,
    private readonly copy: Copy,
    private readonly options: FollowerOptions,
  ) {}

  private get area(): FollowedArea {
    return this.copy.area;
  }

  /** Resolves only with `once`. @throws what the client and PostgreSQL throw */
  async run(): Promise<FollowSummary> {
    const { once, verify, report } = this.options;
    this.state = await this.copy.open();
    for (;;) {
      await this.catchUp();
      const rows = await this.copy.count();
      report(`${this.copy.name}: ${rows} rows, up to date`);
      const isDue = performance.now() >= this.verifyAt;
      const verified = verify && isDue ? await this.verify() : undefined;
      if (once) return { rows: await this.copy.count(), change: this.change, ...(verified && { verified }) };
      if (this.options.hinted) await this.options.hinted();
      else
        await this.read({ once: false, signal: verify ? AbortSignal.timeout(VERIFY_EVERY_MS) : undefined });
    }
  }

  private async catchUp(): Promise<void> {
    await this.read({ once: true });
  }

  private async read(options: FollowOptions): Promise<void> {
    let waiting: StoredBatch | undefined;
    const store = async () => {
      if (waiting) this.state = await this.copy.store(this.state!, waiting);
      waiting = undefined;
    };
    const onExpired = async () => {
      await store();
      return this.goOn();
    };
    try {
      const from = { cursor: this.state!.cursor, onExpired, ...options };
      for await (const batch of this.area.follow(this.client, from)) {
        const { startsOver } = batch;
        if (startsOver !== null) {
          await store();
          this.options.report(`reading from the beginning: ${startsOver}`);
        }
        this.change = batch.change;
        const { cursor, isComplete, isCurrent } = this.state!;
        const isKnown = batch.items.length === 0 && batch.cursor === cursor && isComplete && isCurrent;
        if (isKnown && !waiting && startsOver === null) continue;
        // A schedule that is newer than the rows so far is announced by a resync before the end of the reading.
        const begin = startsOver === null ? undefined : await this.area.begin(this.client);
        const items = [...(waiting?.items ?? []), ...batch.items];
        waiting = { ...waiting, ...batch, ...begin, items, startsOver: waiting?.startsOver ?? startsOver };
        if (batch.isCurrent || waiting.items.length >= ROWS_AT_ONCE) await store();
      }
      await store();
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }

  private async verify(): Promise<NonNullable<FollowSummary['verified']>> {
    const { report } = this.options;
    const { groups, differing } = await this.compare();
    if (differing.length > 0) {
      report(`the copy differs from the service in ${differing.join(', ')}: reading it again`);
      const isMost = differing.length * 2 > groups;
      if (isMost || !(await this.readAgain(differing, this.change)))
        await this.read({ once: true, cursor: null });
      const again = await this.compare();
      if (again.differing.length > 0)
        throw new CommandError(`the copy differs in ${again.differing.join(', ')}`);
    }
    this.verifyAt = performance.now() + VERIFY_EVERY_MS;
    report(`verified: ${groups} groups of rows, ${differing.length} read again`);
    return { groups, mended: differing };
  }

  /**
   * After a 410: reads only the groups that differ; often there are none.
   * @returns the cursor at which the copy goes on; null: it has to be read from the beginning
   */
  private async goOn(): Promise<string | null> {
    const { area, client, copy, options } = this;
    if (!this.state!.isComplete) return null;
    const { change, cursor, schedule, groups } = await area.digests(client);
    const served = new Map(groups.map(({ group, digest }) => [group, digest]));
    const copied = await copiedDigests(area, copy);
    const all = [...new Set([...copied.keys(), ...served.keys()])];
    const differing = all.filter((group) => served.get(group) !== copied.get(group)).sort();
    if (schedule !== this.state!.schedule || differing.length * 2 > all.length) return null;
    const what = differing.length === 0 ? 'nothing differs' : `reading ${differing.join(', ')}`;
    options.report(`the cursor has expired: ${what}`);
    if (!(await this.readAgain(differing, change))) return null;
    this.state = await copy.store(this.state!, { ...NO_ITEMS, change, began: change, cursor });
    return cursor;
  }

  /**
   * Replaces the rows of groups by those of the service. The cursor stays until all are stored: what is interrupted is done again.
   * @returns false if a group changed each time while it was read
   */
  private async readAgain(groups: readonly string[], change: number): Promise<boolean> {
    if (groups.length === 0) return true;
    const { area, client, copy } = this;
    const held = await heldRows(area, copy, new Set(groups));
    let items: FollowedChange[] = [];
    const store = async () => {
      this.state = await copy.store(this.state!, {
        ...{ ...NO_ITEMS, items, change, began: change },
        cursor: this.state!.cursor!,
      });
      items = [];
    };
    /** @returns the digest of the rows that were read */
    const readGroup = async (group: string) => {
      let sum = 0n;
      for await (const found of area.rowsOf(client, group)) {
        const text = JSON.stringify(found.key);
        const digest = area.digestOf(found);
        sum ^= digest;
        const isSame = held.get(text)?.digest === hexDigest(digest);
        held.delete(text);
        const { key, extra, row } = found;
        if (!isSame)
          items.push({
            op: 'upsert',
            change,
            key,
            [area.extraColumn.member]: extra,
            digest: hexDigest(digest),
            row,
          });
        if (items.length >= ROWS_AT_ONCE) await store();
      }
      return hexDigest(sum);
    };
    const isRead = async (group: string) => {
      for (let look = 0; look < MAX_LOOKS; look += 1) {
        const digest = await readGroup(group);
        if (!area.digestOfGroup || digest === (await area.digestOfGroup(client, group))) return true;
      }
      return false;
    };
    for (const group of groups) if (!(await isRead(group))) return false;
    for (const { key } of held.values()) items.push({ op: 'delete', change, key, reason: 'resync' });
    await store();
    return true;
  }

  /** Compares the copy with the digests of the service, group by group. A group that changes at each look is left out. */
  private async compare(): Promise<Comparison> {
    let suspects: string[] = [];
    let changing: string[] = [];
    let groups = 0;
    let before = new Map<string, string>();
    for (let look = 0; look < MAX_LOOKS; look += 1) {
      const served = await this.area.digests(this.client);
      const digests = new Map(served.groups.map(({ group, digest }) => [group, digest]));
      await this.catchUp();
      const copied = await copiedDigests(this.area, this.copy);
      const differing = [...new Set([...copied.keys(), ...digests.keys()])].filter(
        (group) => digests.get(group) !== copied.get(group),
      );
      groups = digests.size;
      suspects = look === 0 ? differing : suspects.filter((group) => differing.includes(group));
      // Without a change after the digests, both are of the same state.
      const isSameState = this.change <= served.change;
      const changes = (group: string) => digests.get(group) !== before.get(group);
      changing = isSameState
        ? []
        : suspects.filter((group) => copied.get(group) !== DAMAGED && changes(group));
      if (suspects.length === 0 || isSameState) break;
      before = digests;
    }
    if (changing.length > 0)
      this.options.report(`not compared, because they change: ${changing.sort().join(', ')}`);
    return {
      groups: groups - changing.filter((group) => before.has(group)).length,
      differing: suspects.filter((group) => !changing.includes(group)).sort(),
    };
  }
}

const NO_ITEMS = { items: [], startsOver: null, isCurrent: false } as const;

/** The keys of the copy's rows in some groups, by their text, with the digest of each, unless it does not fit its row. */
async function heldRows(area: FollowedArea, copy: Copy, groups: ReadonlySet<string>) {
  const held = new Map<string, { readonly key: CopiedRow['key']; readonly digest: string | undefined }>();
  for await (const copied of copy.rows()) {
    if (!groups.has(area.groupOf(copied))) continue;
    const { key, digest } = copied;
    const isSound = hexDigest(area.digestOf(copied)) === digest;
    held.set(JSON.stringify(key), { key, digest: isSound ? digest : undefined });
  }
  return held;
}

/** The groups of the copy, from the rows as they are stored. */
async function copiedDigests(area: FollowedArea, copy: Copy): Promise<Map<string, string>> {
  const digests = new Map<string, bigint>();
  const damaged = new Set<string>();
  for await (const copied of copy.rows()) {
    const group = area.groupOf(copied);
    const digest = area.digestOf(copied);
    digests.set(group, (digests.get(group) ?? 0n) ^ digest);
    if (hexDigest(digest) !== copied.digest) damaged.add(group);
  }
  return new Map(
    [...digests].map(([group, digest]) => [group, damaged.has(group) ? DAMAGED : hexDigest(digest)]),
  );
}
