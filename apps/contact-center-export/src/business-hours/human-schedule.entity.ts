import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { HumanSchedule } from './business-year';

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
