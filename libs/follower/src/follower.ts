import { setTimeout as sleep } from 'node:timers/promises';
import { hexDigest } from '@cxp/change-feed/row-digest';
import { ApiError, ConnectionError, type CxpClient, type FollowOptions } from '@cxp/client';
import { type CopyState, type StoredBatch, type StoredChange, withText } from './copied-tables';
import { AwayError, CommandError } from './database';
import type { FollowedFeed, FollowedChange, ServedDigests } from './followed-feed';
import type { TableCopy } from './table-copy';

/** Rows of one transaction; a row may have hundreds of kilobytes. */
const ROWS_AT_ONCE = 5_000;
const CHARACTERS_AT_ONCE = 32 * 1024 * 1024;
/** Comparisons of a group that changes meanwhile. */
const MAX_LOOKS = 5;
/** Replaces the digest of a group that has a row with a wrong digest. */
const DAMAGED = 'damaged';
const VERIFY_EVERY_MS = 600_000;
const CAMPAIGNS_EVERY_MS = 3_600_000;
/** After the client's own retries, or a wait for the file or database. */
const TRY_AGAIN_MS = 5_000;
const WAIT_SECONDS = 10;

export interface FollowerOptions {
  /** Ends when nothing more is found. */
  readonly once: boolean;
  /** Compares digests when the copy has caught up, and reads differing groups again. */
  readonly verify: boolean;
  /** One line per event. */
  readonly report: (line: string) => void;
}

export interface FollowSummary {
  readonly rows: number;
  /** The copy holds everything up to this number. */
  readonly change: number;
  /** `groups`: compared days (in area C: of each campaign). `mended`: those that differed and were read again. */
  readonly verified?: { readonly groups: number; readonly mended: readonly string[] };
}

/** Keeps a copy in step with the service. It may be killed at any time: the next one continues. */
export class Follower {
  private state: CopyState | undefined;
  private change = 0;
  private campaignsAt = 0;

  constructor(
    private readonly client: CxpClient,
    private readonly copy: TableCopy,
    private readonly options: FollowerOptions,
  ) {}

  private get feed(): FollowedFeed {
    return this.copy.feed;
  }

  /**
   * Resolves only with `once`. Otherwise it waits for a service, database or file that is away.
   * @throws errors of the client and the database
   */
  async run(): Promise<FollowSummary> {
    let away: string | undefined;
    const onBack = () => {
      if (away) this.options.report(`${away} is back`);
      away = undefined;
    };
    for (;;) {
      try {
        const summary = await this.follow(onBack);
        if (summary) return summary;
      } catch (error) {
        // What was stored last is not known for sure.
        this.state = undefined;
        const lost = this.options.once ? undefined : whatIsAway(error);
        if (!lost) throw error;
        if (!away) this.options.report(`${lost} is away, trying again: ${(error as Error).message}`);
        away = lost;
        await sleep(TRY_AGAIN_MS);
      }
    }
  }

  /** @returns with `once` the end, otherwise nothing: something is due */
  private async follow(onBack: () => void): Promise<FollowSummary | undefined> {
    const { once, verify, report } = this.options;
    if (!this.state) {
      // A start that the service refuses stores nothing.
      await this.feed.begin(this.client);
      this.state = await this.copy.open();
      onBack();
    }
    await this.read({ once: true });
    await this.readCampaigns();
    report(`${this.feed.table}: ${await this.copy.count()} rows, up to date`);
    const verified = verify ? await this.verify() : undefined;
    if (once) return { rows: await this.copy.count(), change: this.change, ...(verified && { verified }) };
    const dueMs = verify ? VERIFY_EVERY_MS : this.copy.hasCampaigns ? CAMPAIGNS_EVERY_MS : undefined;
    await this.read({ once: false, signal: dueMs === undefined ? undefined : AbortSignal.timeout(dueMs) });
    return undefined;
  }

  private async readCampaigns(): Promise<void> {
    if (!this.copy.hasCampaigns || performance.now() < this.campaignsAt) return;
    await this.copy.storeCampaigns(await this.feed.campaigns!(this.client));
    this.campaignsAt = performance.now() + CAMPAIGNS_EVERY_MS;
  }

  private async read(options: FollowOptions): Promise<void> {
    let waiting: StoredBatch | undefined;
    const store = async () => {
      if (waiting) this.state = await this.copy.store(this.state!, waiting);
      waiting = undefined;
    };
    const onExpired = async () => {
      await store();
      return this.resumeByDigests();
    };
    try {
      const from = { cursor: this.state!.cursor, onExpired, waitSeconds: WAIT_SECONDS, ...options };
      for await (const batch of this.feed.follow(this.client, from)) {
        const { startsOver } = batch;
        if (startsOver !== null) {
          await store();
          this.options.report(`reading from the beginning: ${startsOver}`);
        }
        this.change = batch.change;
        const { cursor, isComplete, isCurrent } = this.state!;
        const isKnown = batch.items.length === 0 && batch.cursor === cursor && isComplete && isCurrent;
        if (isKnown && !waiting && startsOver === null) {
          await this.copy.checked();
          continue;
        }
        // Before the end of the reading, a resync announces a schedule that is newer than the rows.
        const begin = startsOver === null ? undefined : await this.feed.begin(this.client);
        const items: StoredChange[] = [
          ...(waiting?.items ?? []),
          ...batch.items.map((item) => withText(this.feed, item)),
        ];
        waiting = { ...waiting, ...batch, ...begin, startsOver: waiting?.startsOver ?? startsOver, items };
        const characters = items.reduce((sum, { row = '' }) => sum + row.length, 0);
        const isMuch = items.length >= ROWS_AT_ONCE || characters >= CHARACTERS_AT_ONCE;
        if (batch.isCurrent || isMuch) await store();
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }

  private async verify(): Promise<NonNullable<FollowSummary['verified']>> {
    const { report } = this.options;
    const { groups, wrong } = await this.compare();
    if (wrong.length > 0) {
      report(`the copy differs from the service in ${wrong.join(', ')}: reading it again`);
      const isMost = wrong.length * 2 > groups;
      if (isMost || !(await this.readAgain(wrong, this.change)))
        await this.read({ once: true, cursor: null });
      const again = await this.compare();
      if (again.wrong.length > 0) {
        const problem = `the copy differs in ${again.wrong.join(', ')}`;
        if (this.options.once) throw new CommandError(problem);
        report(problem);
        return { groups, mended: wrong.filter((group) => !again.wrong.includes(group)) };
      }
    }
    report(`verified: ${groups} groups of rows, ${wrong.length} read again`);
    return { groups, mended: wrong };
  }

  /** Compares the copy with the service's digests. A group that changes each time is skipped. */
  private async compare(): Promise<{ readonly groups: number; readonly wrong: string[] }> {
    let before = new Map<string, string>();
    for (let look = 1; ; look += 1) {
      const served = await this.feed.digests(this.client);
      await this.read({ once: true });
      const differing = await this.differing(served);
      // Without later changes both show the same state. Otherwise a group that differs twice in the same way has not changed.
      const isSameState = this.change <= served.change;
      const isWrong = (group: string) =>
        isSameState || differing.get(group) === before.get(group) || differing.get(group)!.endsWith(DAMAGED);
      const wrong = [...differing.keys()].filter(isWrong).sort();
      const changing = [...differing.keys()].filter((group) => !isWrong(group)).sort();
      if (changing.length > 0 && look === MAX_LOOKS)
        this.options.report(`not compared, because they change: ${changing.join(', ')}`);
      if (changing.length === 0 || look === MAX_LOOKS)
        return { groups: served.groups.size - changing.length, wrong };
      before = differing;
    }
  }

  /**
   * After a 410, reads only the groups that differ, often none.
   * @returns the cursor to continue at; null: read from the beginning
   */
  private async resumeByDigests(): Promise<string | null> {
    if (!this.state!.isComplete) return null;
    const served = await this.feed.digests(this.client);
    const { change, cursor, schedule, groups } = served;
    const differing = [...(await this.differing(served)).keys()].sort();
    if (schedule !== this.state!.schedule || differing.length * 2 > groups.size) return null;
    const what = differing.length === 0 ? 'nothing differs' : `reading ${differing.join(', ')}`;
    this.options.report(`the cursor has expired: ${what}`);
    if (!(await this.readAgain(differing, change))) return null;
    await this.store([], change, cursor, true);
    return cursor;
  }

  /** Finds the groups whose rows in the copy differ, with the digests of both sides. */
  private async differing({ groups: served }: ServedDigests): Promise<Map<string, string>> {
    const copied = new Map<string, bigint>();
    const damaged = new Set<string>();
    await this.copy.eachRow((row) => {
      const group = this.feed.groupOf(row);
      const digest = this.feed.digestOf(row);
      copied.set(group, (copied.get(group) ?? 0n) ^ digest);
      if (hexDigest(digest) !== row.digest) damaged.add(group);
    });
    const digestOf = (group: string) => {
      const digest = copied.get(group);
      return damaged.has(group) ? DAMAGED : digest === undefined ? undefined : hexDigest(digest);
    };
    const all = [...new Set([...copied.keys(), ...served.keys()])];
    const differing = all.filter((group) => served.get(group) !== digestOf(group));
    return new Map(differing.map((group) => [group, [served.get(group), digestOf(group)].join(' ')]));
  }

  /**
   * Replaces rows of groups. The cursor stays until all are stored, so that an interrupted run is repeated.
   * @returns false if a group changed each time
   */
  private async readAgain(groups: readonly string[], change: number): Promise<boolean> {
    if (groups.length === 0) return true;
    const { feed, client, copy } = this;
    const held = new Map<string, FollowedChange['key']>();
    const digests = new Map<string, string>();
    await copy.eachRow((row) => {
      held.set(JSON.stringify(row.key), row.key);
      // A digest that does not match its row is ignored.
      if (hexDigest(feed.digestOf(row)) === row.digest) digests.set(JSON.stringify(row.key), row.digest);
    }, groups);
    const items: StoredChange[] = [];
    /** @returns the digest of the rows */
    const readGroup = async (group: string) => {
      let sum = 0n;
      for await (const found of feed.rowsOf(client, group)) {
        const digest = feed.digestOf(found);
        sum ^= digest;
        const { key, extra, row } = found;
        held.delete(JSON.stringify(key));
        if (digests.get(JSON.stringify(key)) === hexDigest(digest)) continue;
        const extraMember = { [feed.extraColumn.member]: extra };
        const item = { op: 'upsert', change, key, ...extraMember, digest: hexDigest(digest), row } as const;
        items.push(withText(feed, item));
        if (items.length >= ROWS_AT_ONCE) await this.store(items.splice(0), change);
      }
      return hexDigest(sum);
    };
    const isRead = async (group: string) => {
      for (let look = 0; look < MAX_LOOKS; look += 1) {
        const digest = await readGroup(group);
        if (!feed.digestOfGroup || digest === (await feed.digestOfGroup(client, group))) return true;
      }
      return false;
    };
    for (const group of groups) if (!(await isRead(group))) return false;
    const gone = [...held.values()].map((key) =>
      withText(feed, { op: 'delete', change, key, reason: 'resync' }),
    );
    if (items.length + gone.length > 0) await this.store([...items, ...gone], change);
    return true;
  }

  /** Stores rows of lists, not of the feed. */
  private async store(
    items: readonly StoredChange[],
    change: number,
    cursor = this.state!.cursor!,
    isResumed = false,
  ): Promise<void> {
    const batch = { items, change, began: change, cursor, startsOver: null, isCurrent: false, isResumed };
    this.state = await this.copy.store(this.state!, batch);
  }
}

/** @returns what a follower waits for; undefined: nothing will change by itself */
function whatIsAway(error: unknown): string | undefined {
  if (error instanceof AwayError) return error.what;
  const isTemporary = error instanceof ApiError && (error.status === 429 || error.status >= 500);
  return isTemporary || error instanceof ConnectionError ? 'the service' : undefined;
}
