import type { DatabaseArea } from '@cxp/storage';
import { CreateAccess1763700000000 } from './migrations/1763700000000-create-access';

/** Organizations and their API tokens; every service reads this schema to authenticate. */
export const accessDatabase: DatabaseArea = {
  name: 'access',
  schema: 'access',
  migrations: [CreateAccess1763700000000],
  isReadOnly: true,
};
