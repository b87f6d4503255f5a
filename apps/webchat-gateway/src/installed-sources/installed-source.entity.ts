import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigintAsNumber } from '@cxp/storage';

/** The site or app that shows a company's chat. */
@Entity({ schema: 'webchat', name: 'installed_source' })
export class InstalledSource {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('bigint', { transformer: bigintAsNumber })
  readonly id!: number;

  @Column('text')
  readonly name!: string;

  @Column('text', { name: 'channel_type' })
  readonly channelType!: string;

  @Column('boolean')
  readonly active!: boolean;
}
