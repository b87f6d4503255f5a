import { erasureEntity } from '@cxp/erasure';
import type { DatabaseSchema } from '@cxp/storage';
import { webhookEndpointEntity } from '@cxp/webhooks';
import { Campaign } from '../campaigns/campaign.repository';
import { MetadataField } from '../metadata-fields/metadata-field.repository';
import { StoredSettings } from '../organization-settings/organization-settings.repository';
import { CreateSurvey1795824000000 } from './create-survey';

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
