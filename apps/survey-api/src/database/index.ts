import { CHANGE_FEED_GRANTS } from '@cxp/change-feed';
import { ERASURE_GRANTS } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { AddRemovalReasons1763800300000 } from './migrations/1763800300000-add-removal-reasons';
import { CreateErasure1763800400000 } from './migrations/1763800400000-create-erasure';
import { CreateSurvey1763700300000 } from './migrations/1763700300000-create-survey';
import { IndexPersons1763800401000 } from './migrations/1763800401000-index-persons';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [
    CreateSurvey1763700300000,
    AddRemovalReasons1763800300000,
    CreateErasure1763800400000,
    IndexPersons1763800401000,
  ],
  servingGrants: {
    organization_settings: ['SELECT', 'INSERT', 'UPDATE'],
    metadata_field: ['SELECT', 'INSERT', 'UPDATE'],
    campaign: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    campaign_name: ['SELECT', 'INSERT', 'UPDATE'],
    response: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    response_block: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    link: ['SELECT', 'INSERT', 'UPDATE'],
    link_count: ['SELECT', 'INSERT', 'UPDATE'],
    ...CHANGE_FEED_GRANTS,
    ...ERASURE_GRANTS,
  },
};
