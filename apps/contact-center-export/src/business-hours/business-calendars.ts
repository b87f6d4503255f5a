import { Injectable } from '@nestjs/common';
import { BusinessCalendar } from './business-calendar';
import { HumanScheduleRepository, type VersionedSchedule } from './human-schedule.repository';
import { type Timezone } from './timezone';

/** A bound on memory: the calendar that was not used for longest makes room. */
const MAX_CALENDARS = 500;

/** Calendars by schedule and timezone. To compute one takes milliseconds, to use one less than a microsecond. */
@Injectable()
export class BusinessCalendars {
  private readonly calendars = new Map<string, BusinessCalendar>();

  constructor(private readonly schedules: HumanScheduleRepository) {}

  /** @returns undefined if the organization has no schedule */
  async ofOrganization(organizationId: string, timezone: Timezone): Promise<BusinessCalendar | undefined> {
    const schedule = await this.schedules.find(organizationId);
    return schedule && this.of(schedule, timezone);
  }

  /** @param version of the organization's schedule, as just read; null if the organization has no schedule */
  async ofVersion(
    organizationId: string,
    version: string | null,
    timezone: Timezone,
  ): Promise<BusinessCalendar | undefined> {
    if (version === null) return undefined;
    const cached = this.calendars.get(keyOf(version, timezone));
    return cached ? this.keep(version, timezone, cached) : this.ofOrganization(organizationId, timezone);
  }

  private of(schedule: VersionedSchedule, timezone: Timezone): BusinessCalendar {
    const { version } = schedule;
    const calendar = this.calendars.get(keyOf(version, timezone)) ?? new BusinessCalendar(schedule, timezone);
    return this.keep(version, timezone, calendar);
  }

  private keep(version: string, timezone: Timezone, calendar: BusinessCalendar): BusinessCalendar {
    const key = keyOf(version, timezone);
    // A Map keeps the order of insertion: the first key is the one that was not used for longest.
    this.calendars.delete(key);
    this.calendars.set(key, calendar);
    const [oldest] = this.calendars.keys();
    if (this.calendars.size > MAX_CALENDARS && oldest !== undefined) this.calendars.delete(oldest);
    return calendar;
  }
}

function keyOf(version: string, timezone: Timezone): string {
  return `${version} ${timezone.name}`;
}
