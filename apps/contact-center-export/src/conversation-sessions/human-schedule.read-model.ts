import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { HumanSchedule } from '../business-hours';

/** A schedule, and the version that tells it from every other. */
export interface VersionedSchedule extends HumanSchedule {
  readonly version: string;
}

@Injectable()
export class HumanScheduleReadModel {
  constructor(private readonly dataSource: DataSource) {}

  async ofOrganization(organizationId: string): Promise<VersionedSchedule | undefined> {
    const [schedule]: VersionedSchedule[] = await this.dataSource.query(
      'SELECT version, weekly, exceptions FROM contact_center.human_schedule WHERE organization_id = $1',
      [organizationId],
    );
    return schedule;
  }
}
