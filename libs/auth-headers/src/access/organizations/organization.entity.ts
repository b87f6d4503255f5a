import { Check, Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ schema: 'access', name: 'organization' })
@Check('organization_id_check', `id <> ''`)
export class Organization {
  @PrimaryColumn('text')
  readonly id!: string;

  @Column('text')
  readonly name!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()', select: false })
  readonly createdAt?: Date;
}
