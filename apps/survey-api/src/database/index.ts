import { CHANGE_FEED_GRANTS } from '@cxp/change-feed';
import type { DatabaseArea } from '@cxp/storage';
import { AddRemovalReasons1763800300000 } from './migrations/1763800300000-add-removal-reasons';
import { CreateSurvey1763700300000 } from './migrations/1763700300000-create-survey';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1763700300000, AddRemovalReasons1763800300000],
  servingGrants: {
    organization_settings: ['SELECT', 'INSERT', 'UPDATE'],
    metadata_field: ['SELECT', 'INSERT', 'UPDATE'],
    campaign: ['SELECT', 'INSERT', 'UPDATE'],
    response: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    response_block: ['SELECT', 'INSERT', 'UPDATE'],
    link: ['SELECT', 'INSERT'],
    link_count: ['SELECT', 'INSERT', 'UPDATE'],
    ...CHANGE_FEED_GRANTS,
  },
};
