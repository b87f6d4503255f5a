import type { EntityManager } from 'typeorm';
import type { HumanScheduleData } from './record-data';

export class HumanScheduleRepository {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
  ) {}

  /** Every schedule that is stored has a version of its own, so that calendars worked out from it can be kept. */
  async store({ weekly, exceptions }: HumanScheduleData): Promise<void> {
    await this.manager.query(
      `INSERT INTO contact_center.human_schedule (organization_id, version, weekly, exceptions)
       VALUES ($1, gen_random_uuid(), $2, $3)
       ON CONFLICT (organization_id) DO UPDATE
         SET version = excluded.version, weekly = excluded.weekly, exceptions = excluded.exceptions`,
      [this.organizationId, JSON.stringify(weekly), JSON.stringify(exceptions ?? [])],
    );
  }
}
