import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { BusinessCalendar, BusinessYears } from './business-calendar';
import { ScheduleDates } from './business-year';
import { HumanScheduleRepository } from './human-schedule.repository';
import type { Timezone } from './timezone';

/** Intervals of schedules that are held, with about 80 bytes each. */
const MAX_INTERVALS = 100_000;

/** The calendars of organizations. Computed years are cached by the version of the schedule. */
@Injectable()
export class BusinessCalendars {
  private readonly years = new BusinessYears();
  private readonly schedules = new LRUCache<string, ScheduleDates>({
    maxSize: MAX_INTERVALS,
    sizeCalculation: ({ size }) => size,
  });

  constructor(private readonly repository: HumanScheduleRepository) {}

  /** @returns undefined if the organization has no schedule */
  async ofOrganization(organizationId: string, timezone: Timezone): Promise<BusinessCalendar | undefined> {
    const stored = await this.repository.find(organizationId);
    if (!stored) return undefined;
    const schedule = this.schedules.get(stored.version) ?? new ScheduleDates(stored);
    this.schedules.set(stored.version, schedule);
    return new BusinessCalendar(stored.version, schedule, timezone, this.years);
  }

  /** @param version of the organization's schedule, as just read; null if the organization has no schedule */
  async ofVersion(
    organizationId: string,
    version: string | null,
    timezone: Timezone,
  ): Promise<BusinessCalendar | undefined> {
    if (version === null) return undefined;
    const schedule = this.schedules.get(version);
    if (!schedule) return this.ofOrganization(organizationId, timezone);
    return new BusinessCalendar(version, schedule, timezone, this.years);
  }
}
