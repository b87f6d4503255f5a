import { hexDigest } from '@cxp/change-feed/row-digest';
import type { ChangeBatch, CxpClient, FollowOptions } from '@cxp/client';
import { CommandError } from '../environment';
import type { CopiedRow, FollowedArea, FollowedChange } from './followed-area';

/** How far a copy has come. */
export interface CopyState {
  readonly cursor: string | null;
  /** Counts the readings from the beginning. */
  readonly reading: number;
  /** Whether the reading has come to its end once: then the copy holds no rows of earlier readings. */
  readonly isComplete: boolean;
}

/** A copy of one area's rows, wherever the follower keeps it. It may be killed at any time, and opened again. */
export interface Copy {
  /** What messages call it. */
  readonly name: string;
  /** @throws CommandError if it is a copy of something else */
  open(): Promise<CopyState>;
  /**
   * Takes the changes and the cursor, and keeps both or none: at the latest with the batch that is current. When a reading comes to its
   * end, the rows that it did not find are removed.
   * @throws CommandError if another follower writes to it
   */
  store(state: CopyState, batch: ChangeBatch<FollowedChange>): Promise<CopyState>;
  count(): Promise<number>;
  /** All rows, some thousands in memory at once. */
  rows(): AsyncGenerator<CopiedRow & { readonly digest: string }>;
}

/** The state after a batch. */
export function stateAfter(state: CopyState, batch: ChangeBatch<FollowedChange>): CopyState {
  return {
    cursor: batch.cursor,
    reading: state.reading + (batch.startsOver === null ? 0 : 1),
    isComplete: batch.isCurrent || (batch.startsOver === null && state.isComplete),
  };
}

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
  /** Whether the copy holds every batch before: it may keep others in memory. */
  private isStored = true;

  constructor(
    private readonly client: CxpClient,
    private readonly area: FollowedArea,
    private readonly copy: Copy,
    private readonly options: FollowerOptions,
  ) {}

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
    try {
      const from = { cursor: this.state!.cursor, ...options };
      for await (const batch of this.area.follow(this.client, from)) {
        if (batch.startsOver !== null) this.options.report(`reading from the beginning: ${batch.startsOver}`);
        this.change = batch.change;
        const isKnown =
          batch.items.length === 0 && batch.cursor === this.state!.cursor && this.state!.isComplete;
        if (isKnown && this.isStored && batch.startsOver === null) continue;
        this.state = await this.copy.store(this.state!, batch);
        this.isStored = batch.isCurrent;
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }

  private async verify(): Promise<NonNullable<FollowSummary['verified']>> {
    const { report } = this.options;
    const { groups, differing } = await this.compare();
    if (differing.length > 0) {
      report(`the copy differs from the service in ${differing.join(', ')}: reading it again`);
      await this.read({ once: true, cursor: null });
      const again = await this.compare();
      if (again.differing.length > 0)
        throw new CommandError(`the copy differs in ${again.differing.join(', ')}`);
    }
    this.verifyAt = performance.now() + VERIFY_EVERY_MS;
    report(`verified: ${groups} groups of rows, ${differing.length} read again`);
    return { groups, mended: differing };
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
