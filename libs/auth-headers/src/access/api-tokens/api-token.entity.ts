import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryGeneratedColumn, Unique } from 'typeorm';
import { Organization } from '../organizations/organization.entity';
import type { Permissions } from '../permissions';

/** Only the token's holder has the secret. */
@Entity({ schema: 'access', name: 'api_token' })
@Unique('api_token_hash_unique', ['hash'])
@Index('api_token_organization', ['organizationId', 'createdAt'])
export class ApiToken {
  @PrimaryGeneratedColumn('uuid')
  readonly id!: string;

  @Column('text', { name: 'organization_id' })
  readonly organizationId!: string;

  @ManyToOne(() => Organization)
  @JoinColumn({ name: 'organization_id', foreignKeyConstraintName: 'api_token_organization_id_fkey' })
  readonly organization?: Organization;

  @Column('text')
  readonly name!: string;

  @Column('bytea', { select: false })
  readonly hash?: Buffer;

  @Column('jsonb')
  readonly permissions!: Permissions;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  readonly createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  readonly expiresAt!: Date | null;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  readonly revokedAt!: Date | null;

  @Column('uuid', { name: 'replaced_by', nullable: true })
  readonly replacedBy!: string | null;

  @ManyToOne(() => ApiToken)
  @JoinColumn({ name: 'replaced_by', foreignKeyConstraintName: 'api_token_replaced_by_fkey' })
  readonly successor?: ApiToken | null;
}
