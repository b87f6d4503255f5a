import { BusinessCalendar } from './business-calendar';
import { type HumanSchedule } from './human-schedule';
import { type Timezone } from './timezone';

/** Keeps the calendars that were used last: working one out costs milliseconds, asking one less than a microsecond. */
export class BusinessCalendars {
  private readonly calendars = new Map<string, BusinessCalendar>();

  constructor(private readonly capacity = 500) {}

  /** @param version tells this schedule from every other, of whichever organization */
  of(version: string, schedule: HumanSchedule, timezone: Timezone): BusinessCalendar {
    const key = `${version} ${timezone.name}`;
    const calendar = this.calendars.get(key) ?? new BusinessCalendar(schedule, timezone);
    // A Map keeps the order of insertion: the first key is the one that was not used for longest.
    this.calendars.delete(key);
    this.calendars.set(key, calendar);
    const [oldest] = this.calendars.keys();
    if (this.calendars.size > this.capacity && oldest !== undefined) this.calendars.delete(oldest);
    return calendar;
  }
}
