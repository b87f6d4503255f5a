import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { withIntakeTurn } from '@cxp/record-intake';
import { GroupCommit, StatementScope } from '@cxp/storage';
import { surveyDatabase } from '../database';
import type { StoredSubmission } from './submission';
import { SubmissionRepository } from './submission.repository';
import { WaitingSubmissionRepository } from './waiting-submission.repository';

/** How long a respondent waits for a submission that is safe to be merged, in milliseconds. */
const RESPONDENT_PATIENCE_MS = 1_000;

/** How long one organization's turn is waited for before the next organization's is, in milliseconds. */
const PATIENCE = { turnMs: 1_000, lockMs: 1_000 };

/** How long to wait after an error, in milliseconds. */
const RETRY_MS = 200;

/** Submissions that one transaction inserts, or merges. */
const MAX_SUBMISSIONS = 1_000;

/**
 * Keeps submissions whose organization's turn is taken, and merges them into their responses when the turn comes. One connection of a
 * process waits for turns, whatever the number of organizations.
 */
@Injectable()
export class WaitingSubmissionService implements OnModuleDestroy {
  private readonly logger = new Logger(WaitingSubmissionService.name);
  private readonly inserted: GroupCommit<StoredSubmission, true>;
  /** Organizations to be merged, with those to call when they are. */
  private readonly pending = new Map<string, (() => void)[]>();
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(private readonly dataSource: DataSource) {
    const waiting = new WaitingSubmissionRepository(dataSource.manager);
    const insertAll = async (submissions: readonly StoredSubmission[]) => {
      await waiting.insertAll(submissions);
      return submissions.map(() => true as const);
    };
    this.inserted = new GroupCommit({
      maxItems: MAX_SUBMISSIONS,
      commit: insertAll,
      commitAlone: async (submission) => (await insertAll([submission]))[0]!,
    });
  }

  /** Returns when the submission is merged, or after a second: it is safe, and is merged later. */
  async store(submission: StoredSubmission): Promise<void> {
    await this.inserted.add(submission);
    await Promise.race([
      this.merge(submission.organizationId),
      sleep(RESPONDENT_PATIENCE_MS, undefined, { ref: false }),
    ]);
  }

  /** Merges what any process has left behind. */
  async mergeAll(): Promise<void> {
    const organizationIds = await new WaitingSubmissionRepository(
      this.dataSource.manager,
    ).listOrganizations();
    for (const organizationId of organizationIds) void this.merge(organizationId);
  }

  /** What is not merged yet stays in the database: another process merges it, or this one when it starts again. */
  async onModuleDestroy(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** Resolves when everything that was inserted before is merged. */
  private merge(organizationId: string): Promise<void> {
    return new Promise((resolve) => {
      this.call(organizationId, [resolve]);
      this.running ??= StatementScope.leave(() => this.run());
    });
  }

  private call(organizationId: string, callbacks: readonly (() => void)[]): void {
    this.pending.set(organizationId, [...(this.pending.get(organizationId) ?? []), ...callbacks]);
  }

  private async run(): Promise<void> {
    while (this.pending.size > 0 && !this.stopped) {
      for (const [organizationId, callbacks] of [...this.pending]) {
        // Submissions that come from here on ask again.
        this.pending.delete(organizationId);
        if (await this.mergeOrganization(organizationId)) for (const callback of callbacks) callback();
        else this.call(organizationId, callbacks);
      }
    }
    this.running = undefined;
  }

  /** @returns whether the turn came, and everything is merged */
  private async mergeOrganization(organizationId: string): Promise<boolean> {
    try {
      for (let merged = MAX_SUBMISSIONS; merged === MAX_SUBMISSIONS;) {
        merged = await withIntakeTurn(
          this.dataSource,
          surveyDatabase.name,
          organizationId,
          async (manager) => {
            const waiting = new WaitingSubmissionRepository(manager);
            const submissions = await waiting.remove(organizationId, MAX_SUBMISSIONS);
            await new SubmissionRepository(manager).storeAll(submissions);
            return submissions.length;
          },
          PATIENCE,
        );
      }
      return true;
    } catch (error) {
      this.logger.warn(`submissions wait for the turn of ${organizationId}: ${String(error)}`);
      await sleep(RETRY_MS);
      return false;
    }
  }
}
