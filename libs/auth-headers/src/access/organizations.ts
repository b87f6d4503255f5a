import { Check, Column, Entity, PrimaryColumn, type EntityManager } from 'typeorm';

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

export class OrganizationRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns whether it is new; an existing organization is unchanged */
  async create(organization: Pick<Organization, 'id' | 'name'>): Promise<boolean> {
    const result = await this.organizations
      .createQueryBuilder()
      .insert()
      .values(organization)
      .orIgnore()
      .returning('id')
      .execute();
    return (result.raw as unknown[]).length === 1;
  }

  list(): Promise<Organization[]> {
    return this.organizations.find({ order: { id: 'ASC' } });
  }

  exists(id: string): Promise<boolean> {
    return this.organizations.existsBy({ id });
  }

  private get organizations() {
    return this.manager.getRepository(Organization);
  }
}
