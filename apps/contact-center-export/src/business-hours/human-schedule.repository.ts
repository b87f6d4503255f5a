import { Statement, withRepository } from '@cxp/storage';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { HumanSchedule } from './business-year';
import { StoredSchedule } from './human-schedule.entity';

const STORE = new Statement(
  {},
  `INSERT INTO contact_center.human_schedule AS stored (organization_id, version, weekly, exceptions)
   VALUES ($1, gen_random_uuid(), $2, $3)
   ON CONFLICT (organization_id) DO UPDATE
     SET version = excluded.version, weekly = excluded.weekly, exceptions = excluded.exceptions
     WHERE (stored.weekly::text, stored.exceptions::text) <> (excluded.weekly::text, excluded.exceptions::text)`,
);

@Injectable()
export class HumanScheduleRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Gives each stored schedule a new version, by which calendars are cached.
   * @returns whether it differs from the stored one
   */
  async store(organizationId: string, { weekly, exceptions }: HumanSchedule): Promise<boolean> {
    const schedule = [JSON.stringify(weekly), JSON.stringify(exceptions)];
    return (await STORE.count(this.manager, [organizationId, ...schedule])) > 0;
  }

  find(organizationId: string): Promise<StoredSchedule | null> {
    return withRepository(StoredSchedule, this.manager, organizationId, (schedules) =>
      schedules.findOneBy({ organizationId }),
    );
  }
}
