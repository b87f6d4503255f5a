import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { HumanSchedule } from './human-schedule';

/** A schedule, and the version that no other schedule has, of whichever organization. */
export interface VersionedSchedule extends HumanSchedule {
  readonly version: string;
}

@Injectable()
export class HumanScheduleRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Every schedule that is stored gets a version of its own, so that calendars can be cached by it.
   * @returns whether it differs from the stored one
   */
  async store(organizationId: string, { weekly, exceptions }: HumanSchedule): Promise<boolean> {
    const stored = await this.manager.query<unknown[]>(
      `INSERT INTO contact_center.human_schedule AS stored (organization_id, version, weekly, exceptions)
       VALUES ($1, gen_random_uuid(), $2, $3)
       ON CONFLICT (organization_id) DO UPDATE
         SET version = excluded.version, weekly = excluded.weekly, exceptions = excluded.exceptions
         WHERE (stored.weekly::text, stored.exceptions::text) <> (excluded.weekly::text, excluded.exceptions::text)
       RETURNING TRUE`,
      [organizationId, JSON.stringify(weekly), JSON.stringify(exceptions)],
    );
    return stored.length > 0;
  }

  /** The organizations that have a schedule. */
  async organizations(): Promise<string[]> {
    const found = await this.manager.query<{ organization_id: string }[]>(
      'SELECT organization_id FROM contact_center.human_schedule ORDER BY organization_id',
    );
    return found.map(({ organization_id }) => organization_id);
  }

  async find(organizationId: string): Promise<VersionedSchedule | undefined> {
    const [schedule] = await this.manager.query<VersionedSchedule[]>(
      'SELECT version, weekly, exceptions FROM contact_center.human_schedule WHERE organization_id = $1',
      [organizationId],
    );
    return schedule;
  }
}
