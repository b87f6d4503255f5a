import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { HumanSchedule } from '../business-hours';

/** A schedule, and the version that tells it from every other. */
export interface VersionedSchedule extends HumanSchedule {
  readonly version: string;
}

/** Schedules that are kept, of whichever organizations. */
const MOST_KNOWN = 1_000;

@Injectable()
export class HumanScheduleReadModel {
  /** By version, which a schedule never changes without. */
  private readonly known = new Map<string, VersionedSchedule>();

  constructor(private readonly dataSource: DataSource) {}

  /** @param version of the organization's schedule, as just read; null when it has none */
  async ofVersion(organizationId: string, version: string | null): Promise<VersionedSchedule | undefined> {
    return version === null ? undefined : (this.known.get(version) ?? this.ofOrganization(organizationId));
  }

  async ofOrganization(organizationId: string): Promise<VersionedSchedule | undefined> {
    const [schedule]: VersionedSchedule[] = await this.dataSource.query(
      'SELECT version, weekly, exceptions FROM contact_center.human_schedule WHERE organization_id = $1',
      [organizationId],
    );
    if (schedule) this.keep(schedule);
    return schedule;
  }

  private keep(schedule: VersionedSchedule): void {
    this.known.set(schedule.version, schedule);
    const [oldest] = this.known.keys();
    if (this.known.size > MOST_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }
}
