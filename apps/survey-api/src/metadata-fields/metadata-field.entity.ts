import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import { bigintAsNumber } from '@cxp/storage';

@Entity({ schema: 'survey', name: 'metadata_field' })
// Deferred to the end of the statement, so that one batch can swap two variables.
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

  /** Integrators and exports name the field by it; unique in the organization. */
  @Column('text')
  readonly variable!: string;
}
