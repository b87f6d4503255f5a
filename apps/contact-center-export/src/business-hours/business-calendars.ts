import { Injectable } from '@nestjs/common';
import { BusinessCalendar } from './business-calendar';
import { HumanScheduleRepository, type VersionedSchedule } from './human-schedule.repository';
import { ScheduleDays } from './schedule-days';
import { SizedCache } from './sized-cache';
import { type Timezone } from './timezone';

/** Intervals that are held, with about 80 bytes each: a bound on memory. */
const MAX_INTERVALS = { schedules: 100_000, calendars: 100_000 };

/** Calendars by schedule and timezone. A schedule is worked out once, whatever timezones are asked for. */
@Injectable()
export class BusinessCalendars {
  private readonly schedules = new SizedCache<ScheduleDays>(MAX_INTERVALS.schedules);
  private readonly calendars = new SizedCache<BusinessCalendar>(MAX_INTERVALS.calendars);

  constructor(private readonly repository: HumanScheduleRepository) {}

  /** @returns undefined if the organization has no schedule */
  async ofOrganization(organizationId: string, timezone: Timezone): Promise<BusinessCalendar | undefined> {
    const schedule = await this.repository.find(organizationId);
    return schedule && (this.known(schedule.version, timezone) ?? this.workedOut(schedule, timezone));
  }

  /** @param version of the organization's schedule, as just read; null if the organization has no schedule */
  async ofVersion(
    organizationId: string,
    version: string | null,
    timezone: Timezone,
  ): Promise<BusinessCalendar | undefined> {
    if (version === null) return undefined;
    return this.known(version, timezone) ?? this.ofOrganization(organizationId, timezone);
  }

  private known(version: string, timezone: Timezone): BusinessCalendar | undefined {
    const schedule = this.schedules.get(version);
    return schedule && this.of(version, schedule, timezone);
  }

  private workedOut(schedule: VersionedSchedule, timezone: Timezone): BusinessCalendar {
    const { version } = schedule;
    return this.of(version, this.schedules.keep(version, new ScheduleDays(schedule)), timezone);
  }

  private of(version: string, schedule: ScheduleDays, timezone: Timezone): BusinessCalendar {
    const key = `${version} ${timezone.name}`;
    return this.calendars.get(key) ?? this.calendars.keep(key, new BusinessCalendar(schedule, timezone));
  }
}
