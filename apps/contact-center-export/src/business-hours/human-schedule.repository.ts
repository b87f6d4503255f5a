import { Statement, withRepository } from '@cxp/storage';
import { Injectable } from '@nestjs/common';
import type { HumanScheduleData } from '@cxp/records';
import { Column, Entity, EntityManager, PrimaryColumn } from 'typeorm';

/** Business hours, in local times of the timezone of a request. */
export interface HumanSchedule {
  readonly weekly: readonly Readonly<HumanScheduleData['weekly'][number]>[];
  /** Each replaces the weekly intervals that start on its date; an empty list means closed. */
  readonly exceptions: readonly Readonly<NonNullable<HumanScheduleData['exceptions']>[number]>[];
}

/** Ends on the next day if `end` is at or before `start`. */
export type ScheduleInterval = Readonly<Omit<HumanScheduleData['weekly'][number], 'weekday'>>;

/** The version is unique over all organizations. */
export interface VersionedSchedule extends HumanSchedule {
  readonly version: string;
}

@Entity({ schema: 'contact_center', name: 'human_schedule' })
export class StoredSchedule implements VersionedSchedule {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @Column('uuid')
  readonly version!: string;

  @Column('json')
  readonly weekly!: HumanSchedule['weekly'];

  @Column('json')
  readonly exceptions!: HumanSchedule['exceptions'];
}

const STORE = new Statement(
  { organizationId: 'text', weekly: 'json', exceptions: 'json' },
  {},
  `INSERT INTO contact_center.human_schedule AS stored (organization_id, version, weekly, exceptions)
   VALUES ($organizationId, gen_random_uuid(), $weekly, $exceptions)
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
    const schedule = { weekly: JSON.stringify(weekly), exceptions: JSON.stringify(exceptions) };
    return (await STORE.count(this.manager, { organizationId, ...schedule })) > 0;
  }

  find(organizationId: string): Promise<StoredSchedule | null> {
    return withRepository(StoredSchedule, this.manager, organizationId, (schedules) =>
      schedules.findOneBy({ organizationId }),
    );
  }
}
