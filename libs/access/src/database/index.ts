import type { DatabaseArea } from '@cxp/storage';
import { migrations } from './migrations';

/** Organizations and their API tokens; every service reads this schema to authenticate. */
export const accessDatabase: DatabaseArea = {
  name: 'access',
  schema: 'access',
  migrations,
  isReadOnly: true,
};
