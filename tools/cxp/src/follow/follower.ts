import { setTimeout as sleep } from 'node:timers/promises';
import type { CxpClient } from '@cxp/client';
import { CommandError } from '../environment';
import type { Copy, CopyState } from './copy';
import type { FollowedArea } from './followed-area';
import { compare, mend } from './verify';

/** How often a follower that goes on compares its copy. */
const VERIFY_EVERY_MS = 600_000;
/** Some days may have to be read again once more if their rows changed meanwhile. */
const MAX_MENDINGS = 3;

export interface FollowerOptions {
  /** Ends when nothing more is found. */
  readonly once: boolean;
  /** Compares digests whenever the copy has caught up, and reads again what differs. */
  readonly verify: boolean;
  /** How long to gather changes after those that were stored. */
  readonly pauseMs?: number;
  /** Waits until there may be something new, instead of asking for it. */
  readonly hinted?: () => Promise<void>;
  /** What happens, in a line each. */
  readonly report: (line: string) => void;
}

export interface FollowSummary {
  readonly rows: number;
  /** The number up to which the copy holds everything. */
  readonly change: number;
  readonly verified?: { readonly groups: number; readonly mended: readonly string[] };
}

/** Keeps a copy in step with the service. It may be killed at any time: the next one goes on where this one stopped. */
export class Follower {
  private state: CopyState | undefined;
  private change = 0;

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
      const verified = verify ? await this.verify() : undefined;
      if (once) return { rows: await this.copy.count(), change: this.change, ...(verified && { verified }) };
      if (this.options.hinted) await this.options.hinted();
      else
        await this.read({ once: false, signal: verify ? AbortSignal.timeout(VERIFY_EVERY_MS) : undefined });
    }
  }

  private async catchUp(): Promise<number> {
    await this.read({ once: true });
    return this.change;
  }

  private async read(options: { once: boolean; signal?: AbortSignal }): Promise<void> {
    const { cursor } = this.state!;
    try {
      for await (const batch of this.area.follow(this.client, { ...options, cursor })) {
        if (batch.startsOver !== null) this.options.report(`reading from the beginning: ${batch.startsOver}`);
        this.change = batch.change;
        const isKnown =
          batch.items.length === 0 && batch.cursor === this.state!.cursor && this.state!.isComplete;
        if (isKnown && batch.startsOver === null) continue;
        this.state = await this.copy.store(this.state!, batch);
        if (!options.once && batch.isCurrent) await sleep(this.options.pauseMs ?? 0);
      }
    } catch (error) {
      if (!options.signal?.aborted) throw error;
    }
  }

  private async verify(): Promise<NonNullable<FollowSummary['verified']>> {
    const mended = new Set<string>();
    for (let mendings = 0; ; mendings += 1) {
      const { groups, differing } = await compare(this.client, this.area, this.copy, () => this.catchUp());
      if (differing.length === 0) {
        this.options.report(`verified: ${groups} groups of rows, ${mended.size} read again`);
        return { groups, mended: [...mended] };
      }
      if (mendings === MAX_MENDINGS) throw new CommandError(`the copy differs in ${differing.join(', ')}`);
      this.options.report(`the copy differs from the service in ${differing.join(', ')}: reading that again`);
      await mend(this.client, this.area, this.copy, this.state!, new Set(differing));
      for (const group of differing) mended.add(group);
    }
  }
}
