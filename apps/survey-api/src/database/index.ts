import type { DatabaseArea } from '@cxp/storage';
import { CreateSurvey1763700300000 } from './migrations/1763700300000-create-survey';
import { CountCampaignsByStatus1763800100000 } from './migrations/1763800100000-count-campaigns-by-status';
import { AnnounceResponseChanges1763820000000 } from './migrations/1763820000000-announce-response-changes';
import { NumberResponseChanges1763800000000 } from './migrations/1763800000000-number-response-changes';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [
    CreateSurvey1763700300000,
    NumberResponseChanges1763800000000,
    CountCampaignsByStatus1763800100000,
    AnnounceResponseChanges1763820000000,
  ],
};
