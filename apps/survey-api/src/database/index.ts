import { erasureEntity } from '@cxp/erasure';
import type { DatabaseSchema } from '@cxp/storage';
import { webhookEndpointEntity } from '@cxp/webhooks';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Campaign } from '../campaigns/campaign.repository';
import { MetadataField } from '../metadata-fields/metadata-field.repository';
import { CreateSurvey1795824000000 } from './create-survey';

/** null means the platform's default. */
@Entity({ schema: 'survey', name: 'organization_settings' })
export class StoredSettings {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @Column('integer', { name: 'max_survey_links_per_campaign', nullable: true })
  readonly maxLinks!: number | null;

  @Column('text', { name: 'brand_name', nullable: true })
  readonly brandName!: string | null;

  @Column('text', { name: 'brand_color', nullable: true })
  readonly brandColor!: string | null;

  @Column('text', { name: 'logo_type', nullable: true })
  readonly logoType!: string | null;

  @Column('bytea', { nullable: true })
  readonly logo!: Buffer | null;
}

export const surveyDatabase: DatabaseSchema = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1795824000000],
  entities: [
    Campaign,
    MetadataField,
    StoredSettings,
    erasureEntity('survey'),
    webhookEndpointEntity('survey'),
  ],
};
