import { erasureEntity } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { webhookEndpointEntity } from '@cxp/webhooks';
import { Campaign } from '../campaigns/campaign.entity';
import { MetadataField } from '../metadata-fields/metadata-field.entity';
import { StoredSettings } from './organization-settings.entity';
import { migrations } from './migrations';

export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations,
  entities: [
    Campaign,
    MetadataField,
    StoredSettings,
    erasureEntity('survey'),
    webhookEndpointEntity('survey'),
  ],
};
