import { jsonColumn, Statement, textColumn } from '@cxp/storage';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import type { HumanSchedule } from './business-year';

/** A schedule, and the version that no other schedule has, of whichever organization. */
export interface VersionedSchedule extends HumanSchedule {
  readonly version: string;
}

/** $1 organization, $2 and $3 its schedule. */
const STORE = new Statement(
  {},
  `INSERT INTO contact_center.human_schedule AS stored (organization_id, version, weekly, exceptions)
   VALUES ($1, gen_random_uuid(), $2, $3)
   ON CONFLICT (organization_id) DO UPDATE
     SET version = excluded.version, weekly = excluded.weekly, exceptions = excluded.exceptions
     WHERE (stored.weekly::text, stored.exceptions::text) <> (excluded.weekly::text, excluded.exceptions::text)`,
);

const FIND = new Statement(
  {
    version: textColumn('version'),
    weekly: jsonColumn<HumanSchedule['weekly']>('weekly'),
    exceptions: jsonColumn<HumanSchedule['exceptions']>('exceptions'),
  },
  (list) => `SELECT ${list} FROM contact_center.human_schedule WHERE organization_id = $1`,
);

@Injectable()
export class HumanScheduleRepository {
  constructor(private readonly manager: EntityManager) {}

  /**
   * Every schedule that is stored gets a version of its own, so that calendars can be cached by it.
   * @returns whether it differs from the stored one
   */
  async store(organizationId: string, { weekly, exceptions }: HumanSchedule): Promise<boolean> {
    const schedule = [JSON.stringify(weekly), JSON.stringify(exceptions)];
    return (await STORE.count(this.manager, [organizationId, ...schedule])) > 0;
  }

  async find(organizationId: string): Promise<VersionedSchedule | undefined> {
    return FIND.first(this.manager, [organizationId]);
  }
}
