import type { BusinessCalendar, Instant } from '../business-hours';
import type { JsonLines } from './json-lines';
import type { StoredRow } from './stored-row';

/** The ends of the spans that are measured in business hours. */
const ENDS = [
  'botHandoffAt',
  'firstAgentAssignedAt',
  'firstAgentMessageAt',
  'conversationResolvedAt',
] as const;

/** What of a row is presented. */
export type PresentedRow = Pick<StoredRow, 'document' | (typeof ENDS)[number]>;

/**
 * Completes rows with their business hours. A stored document is not parsed: the fields are appended to its text, because
 * to parse and write sixty fields again costs more than everything else that a page does.
 */
export class RowPresenter {
  /** @param calendar of the organization, in the timezone of the request; undefined without a schedule */
  constructor(private readonly calendar: BusinessCalendar | undefined) {}

  /** Works out, in turns, what the business hours of these rows take. */
  async prepare(rows: readonly PresentedRow[]): Promise<void> {
    let [first, last] = [Infinity, -Infinity];
    for (const row of rows) {
      for (const name of ENDS) {
        const end = row[name];
        if (end === null) continue;
        first = Math.min(first, end);
        last = Math.max(last, end);
      }
    }
    if (first <= last) await this.calendar?.prepare(first, last);
  }

  /** @returns the row as JSON, with more fields at its end where some are given */
  toJson(row: PresentedRow, more = ''): string {
    return row.document.toString().slice(0, -1) + this.endOf(row, more);
  }

  /** Adds the row as JSON. A document of bytes is copied as it is: to read and write it as text would take longer than all else. */
  addTo(lines: JsonLines, row: PresentedRow, more: string): void {
    const { document } = row;
    if (typeof document === 'string') lines.addText(document.slice(0, -1));
    else lines.addBytes(document.subarray(0, -1));
    lines.addText(this.endOf(row, more));
  }

  private endOf(row: PresentedRow, more: string): string {
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
