import { BusinessCalendars, type BusinessCalendar, type Instant, type Timezone } from '../business-hours';
import type { VersionedSchedule } from './human-schedule.read-model';

/** A row as it is stored: all of the answer but the business hours, and the ends of the spans they measure. */
export interface StoredRow {
  /** A JSON object. */
  readonly document: string;
  readonly botHandoffAt: Instant | null;
  readonly firstAgentAssignedAt: Instant | null;
  readonly firstAgentMessageAt: Instant | null;
  readonly conversationResolvedAt: Instant | null;
}

const calendars = new BusinessCalendars();

/**
 * Completes rows with their business hours in one timezone. Documents stay the text that they are: parsing and writing
 * sixty fields again would cost more than everything else that a page takes.
 */
export class RowPresenter {
  private readonly calendar: BusinessCalendar | undefined;

  constructor(schedule: VersionedSchedule | undefined, timezone: Timezone) {
    this.calendar = schedule && calendars.of(schedule.version, schedule, timezone);
  }

  /** @returns the row as JSON, with more fields at its end where some are given */
  toJson(row: StoredRow, more = ''): string {
    const waitTime = this.secondsBetween(row.botHandoffAt, row.firstAgentMessageAt);
    const firstResponseTime = this.secondsBetween(row.firstAgentAssignedAt, row.firstAgentMessageAt);
    const resolutionTime = this.secondsBetween(row.botHandoffAt, row.conversationResolvedAt);
    return (
      `${row.document.slice(0, -1)},"waitTimeBusinessHoursSeconds":${waitTime}` +
      `,"firstResponseTimeBusinessHoursSeconds":${firstResponseTime}` +
      `,"resolutionTimeBusinessHoursSeconds":${resolutionTime}${more}}`
    );
  }

  /** Null where the calendar span is: an end is missing, or it would be negative. */
  private secondsBetween(from: Instant | null, to: Instant | null): number | null {
    if (!this.calendar || from === null || to === null || to < from) return null;
    return this.calendar.secondsBetween(from, to);
  }
}
