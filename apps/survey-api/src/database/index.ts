import { CHANGE_FEED_GRANTS } from '@cxp/change-feed';
import { ERASURE_GRANTS } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { CreateSurvey1764000300000 } from './migrations/1764000300000-create-survey';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1764000300000],
  servingGrants: {
    organization_settings: ['SELECT', 'INSERT', 'UPDATE'],
    metadata_field: ['SELECT', 'INSERT', 'UPDATE'],
    campaign: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    campaign_name: ['SELECT', 'INSERT', 'UPDATE'],
    response: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    response_block: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    link: ['SELECT', 'INSERT', 'UPDATE'],
    link_address: ['SELECT', 'INSERT'],
    ...CHANGE_FEED_GRANTS,
    ...ERASURE_GRANTS,
  },
};
