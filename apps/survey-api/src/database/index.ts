import type { DatabaseArea } from '@cxp/storage';
import { migrations } from './migrations';

/** What area C keeps in PostgreSQL. */
export const surveyDatabase: DatabaseArea = {
  name: 'survey',
  schema: 'survey',
  migrations,
};
