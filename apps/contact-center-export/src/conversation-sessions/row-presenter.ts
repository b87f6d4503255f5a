import type { BusinessCalendar, Instant } from '../business-hours';
import type { JsonLines } from './json-lines';

/** A row as it is stored: all of the answer but the business hours, and the ends of the spans they measure. */
export interface StoredRow {
  /** A JSON object, or its bytes. */
  readonly document: string | Buffer;
  readonly botHandoffAt: Instant | null;
  readonly firstAgentAssignedAt: Instant | null;
  readonly firstAgentMessageAt: Instant | null;
  readonly conversationResolvedAt: Instant | null;
}

/**
 * Completes rows with their business hours. A stored document is not parsed: the fields are appended to its text, because
 * to parse and write sixty fields again costs more than everything else that a page does.
 */
export class RowPresenter {
  /** @param calendar of the organization, in the timezone of the request; undefined without a schedule */
  constructor(private readonly calendar: BusinessCalendar | undefined) {}

  /** Works out, in turns, what the business hours of these rows take. */
  async prepare(rows: readonly StoredRow[]): Promise<void> {
    let [first, last] = [Infinity, -Infinity];
    for (const row of rows) {
      for (const end of [
        row.botHandoffAt,
        row.firstAgentAssignedAt,
        row.firstAgentMessageAt,
        row.conversationResolvedAt,
      ]) {
        if (end === null) continue;
        first = Math.min(first, end);
        last = Math.max(last, end);
      }
    }
    if (first <= last) await this.calendar?.prepare(first, last);
  }

  /** @returns the row as JSON, with more fields at its end where some are given */
  toJson(row: StoredRow, more = ''): string {
    return row.document.toString().slice(0, -1) + this.endOf(row, more);
  }

  /** Adds the row as JSON. Its document is copied as it is: to read and write it as text would take longer than all else. */
  addTo(lines: JsonLines, row: StoredRow & { readonly document: Buffer }, more: string): void {
    lines.addBytes(row.document.subarray(0, -1));
    lines.addText(this.endOf(row, more));
  }

  private endOf(row: StoredRow, more: string): string {
    const waitTime = this.secondsBetween(row.botHandoffAt, row.firstAgentMessageAt);
    const firstResponseTime = this.secondsBetween(row.firstAgentAssignedAt, row.firstAgentMessageAt);
    const resolutionTime = this.secondsBetween(row.botHandoffAt, row.conversationResolvedAt);
    return (
      `,"waitTimeBusinessHoursSeconds":${waitTime}` +
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
