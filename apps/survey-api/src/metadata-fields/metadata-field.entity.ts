import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { bigintAsNumber } from '@cxp/storage';

/** A field that links and responses can carry a value for. */
@Entity({ schema: 'survey', name: 'metadata_field' })
// Checked after each statement, so that one batch of records can swap two variables.
@Unique('metadata_field_variable_unique', ['organizationId', 'variable'], {
  deferrable: 'INITIALLY IMMEDIATE',
})
export class MetadataField {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('bigint', { transformer: bigintAsNumber })
  readonly id!: number;

  @Column('text')
  readonly name!: string;

  /** What integrators and exports call it, unique in the organization. */
  @Column('text')
  readonly variable!: string;
}
