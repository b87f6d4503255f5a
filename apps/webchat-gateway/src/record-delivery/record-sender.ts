import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge, Registry } from 'prom-client';
import { RepeatedJob, RunsByItself } from '@cxp/storage';
import { WebchatSettings } from '../settings';
import { ContactCenterIntake } from './contact-center-intake';
import { MAX_CONVERSATIONS, UndeliveredRepository, type Delivery } from './undelivered.repository';

/** Organizations sent concurrently, and how many of them may have failed the last time. */
const MAX_ORGANIZATIONS = 8;
const MAX_FAILING = 4;

/**
 * Milliseconds between polls; nine times as long as a slow poll, because before version 18 PostgreSQL reads all rows that are
 * not due.
 */
const PAUSE_MS = { least: 100, most: 1_000 };

/** Milliseconds, doubled by each failure of the organization; the next attempt sends one conversation. */
const FAILURE_PAUSE_MS = { first: 250, most: 5_000 };

interface Failure {
  readonly count: number;
  /** By `performance.now()`. */
  readonly until: number;
}

/**
 * Delivers conversations to area B as records. One process at a time sends a conversation, so that records arrive in order;
 * they are upserts, so a repeated one is stored once.
 */
@RunsByItself({
  name: 'Conversations are delivered to B',
  services: 'A, with `CONTACT_CENTER_RECORDS_URL`',
  pauseMs: PAUSE_MS.most,
  connections: 'of background work',
  missed:
    '`webchat_undelivered_oldest_seconds` grows: alert ChangesNotStored. Log: "conversations are not delivered"',
})
@Injectable()
export class RecordSender extends RepeatedJob {
  private readonly logger = new Logger(RecordSender.name);
  private readonly intake: ContactCenterIntake | undefined;
  private readonly sending = new Map<string, Promise<void>>();
  private readonly failures = new Map<string, Failure>();
  /** The last organization sent; the ones after it are next. */
  private last = '';

  constructor(
    private readonly undelivered: UndeliveredRepository,
    { CONTACT_CENTER_RECORDS_URL: url, SERVICE_TOKEN_KEYS: keys }: WebchatSettings,
    @Inject(Registry) registry: Registry,
  ) {
    super();
    if (!url) return;
    this.intake = new ContactCenterIntake(url, keys!);
    new Gauge({
      name: 'webchat_undelivered_oldest_seconds',
      help: 'Age of the oldest change of a conversation that the export does not have, 0 without one',
      registers: [registry],
      async collect() {
        this.set(await undelivered.oldestAgeSeconds().catch(() => NaN));
      },
    });
  }

  override onApplicationBootstrap(): void {
    if (this.intake) super.onApplicationBootstrap();
  }

  override async beforeApplicationShutdown(): Promise<void> {
    await super.beforeApplicationShutdown();
    await Promise.all(this.sending.values());
  }

  protected async work(): Promise<void> {
    this.pauseMs = PAUSE_MS.most;
    const startedAt = performance.now();
    const due = await this.undelivered.dueOrganizations();
    const lookMs = performance.now() - startedAt;
    this.pauseMs = Math.min(Math.max(PAUSE_MS.least, 9 * lookMs), PAUSE_MS.most);
    for (const organizationId of this.chosen(due)) {
      this.last = organizationId;
      const sending = this.send(this.intake!, organizationId).finally(() =>
        this.sending.delete(organizationId),
      );
      this.sending.set(organizationId, sending);
    }
  }

  protected warn(error: unknown): void {
    this.logger.warn(`conversations are not delivered: ${String(error)}`);
  }

  /** Round robin by id, so that a busy organization delays no other. */
  private chosen(due: readonly string[]): string[] {
    const now = performance.now();
    const ready = due.filter((id) => !this.sending.has(id) && (this.failures.get(id)?.until ?? 0) <= now);
    const next = [...ready.filter((id) => id > this.last), ...ready.filter((id) => id <= this.last)];
    let failing = [...this.sending.keys()].filter((id) => this.failures.has(id)).length;
    return next
      .filter((id) => !this.failures.has(id) || ++failing <= MAX_FAILING)
      .slice(0, MAX_ORGANIZATIONS - this.sending.size);
  }

  private async send(intake: ContactCenterIntake, organizationId: string): Promise<void> {
    try {
      const most = this.failures.has(organizationId) ? 1 : MAX_CONVERSATIONS;
      const deliveries = await this.undelivered.claim(organizationId, most, false);
      const failure = await this.post(intake, organizationId, deliveries);
      if (failure !== undefined) this.fail(organizationId, failure);
      if (failure !== undefined || this.stop.aborted) return;
      const failedOften = await this.undelivered.claim(organizationId, 1, true);
      const again = await this.post(intake, organizationId, failedOften);
      // If area B has just stored others, it is available.
      if (again !== undefined && deliveries.length === 0) this.fail(organizationId, again);
    } catch (error) {
      // PostgreSQL is unavailable: the claimed conversations become due when their lease ends.
      this.fail(organizationId, String(error));
    }
  }

  /** @returns why area B is not available */
  private async post(
    intake: ContactCenterIntake,
    organizationId: string,
    deliveries: readonly Delivery[],
  ): Promise<string | undefined> {
    if (deliveries.length === 0) return undefined;
    const lines = deliveries.flatMap(({ records }) => records.map((record) => JSON.stringify(record)));
    const deliveryOf = deliveries.flatMap((delivery) => delivery.records.map(() => delivery));
    const answer = lines.length > 0 ? await intake.post(organizationId, lines, this.stop) : STORED;
    if (answer.kind === 'stored') {
      await this.undelivered.settle(organizationId, deliveries);
      this.failures.delete(organizationId);
    } else if (answer.kind === 'unavailable') {
      // Area B may still store a cancelled request, so the lease stays until it ends.
      if (this.stop.aborted && answer.isUnknown) return undefined;
      const kind = answer.isUnknown ? 'unknown' : 'unavailable';
      await this.undelivered.fail(organizationId, deliveries, kind, () => answer.reason);
      return answer.reason;
    } else {
      const reasons = new Map([...answer.reasons].map(([line, reason]) => [deliveryOf[line - 1]!, reason]));
      const refused = deliveries.filter((delivery) => reasons.has(delivery));
      await this.undelivered.fail(organizationId, refused, 'refused', (delivery) => reasons.get(delivery)!);
      await this.undelivered.release(
        organizationId,
        deliveries.filter((delivery) => !reasons.has(delivery)),
      );
      this.logger.warn(
        `the export refuses ${refused.length} conversations of organization ${organizationId}`,
      );
    }
    return undefined;
  }

  private fail(organizationId: string, reason: string): void {
    const { count } = this.failures.get(organizationId) ?? { count: 0 };
    if (count === 0) this.logger.warn(`organization ${organizationId} is not delivered: ${reason}`);
    const pauseMs = Math.min(FAILURE_PAUSE_MS.first * 2 ** Math.min(count, 16), FAILURE_PAUSE_MS.most);
    this.failures.set(organizationId, { count: count + 1, until: performance.now() + pauseMs });
  }
}

const STORED = { kind: 'stored' } as const;
