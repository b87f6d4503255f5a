import type { DatabaseArea } from '@cxp/storage';
import { CreateSurvey1764000300000 } from './migrations/1764000300000-create-survey';
import { CountResponsesInBuckets1764030000000 } from './migrations/1764030000000-count-responses-in-buckets';
import { SimplifyHints1764041000000 } from './migrations/1764041000000-simplify-hints';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1764000300000, CountResponsesInBuckets1764030000000, SimplifyHints1764041000000],
};
