import type { DatabaseArea } from '@cxp/storage';
import { CreateSurvey1764000300000 } from './migrations/1764000300000-create-survey';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations: [CreateSurvey1764000300000],
};
