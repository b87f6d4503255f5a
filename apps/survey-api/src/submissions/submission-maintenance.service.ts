import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { SurveySettings } from '../settings';
import { ResponseDraftRepository } from './response-draft.repository';
import { WaitingSubmissionService } from './waiting-submission.service';

const INTERVAL_MS = 60_000;

/**
 * Removes the drafts of responses that are never answered, and merges the submissions of processes that were killed: every minute in
 * each process, whether it has pages or not.
 */
@Injectable()
export class SubmissionMaintenanceService implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(SubmissionMaintenanceService.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly drafts: ResponseDraftRepository,
    private readonly waiting: WaitingSubmissionService,
    private readonly settings: SurveySettings,
  ) {}

  onModuleInit(): void {
    const run = () => {
      this.running = this.run();
    };
    run();
    this.timer = setInterval(run, INTERVAL_MS);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private async run(): Promise<void> {
    try {
      await this.waiting.mergeAll();
      await this.drafts.prune(this.settings.SURVEY_DRAFTS_KEPT_DAYS);
    } catch (error) {
      // PostgreSQL is away, or busy: the next run goes on.
      this.logger.warn(`drafts and waiting submissions are left as they are: ${String(error)}`);
    }
  }
}
