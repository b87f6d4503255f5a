import type { DatabaseArea } from '@cxp/storage';
import { CreateSurvey1763700300000 } from './migrations/1763700300000-create-survey';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1763700300000],
};
