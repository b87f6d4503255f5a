import type { DatabaseArea } from '@cxp/storage';
import { CreateSurvey1764000300000 } from './migrations/1764000300000-create-survey';
import { CountResponsesInBuckets1764030000000 } from './migrations/1764030000000-count-responses-in-buckets';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1764000300000, CountResponsesInBuckets1764030000000],
};
