import type { DatabaseArea } from '@cxp/storage';
import { ApiToken } from '../api-tokens/api-token.entity';
import { Organization } from '../organizations/organization.entity';
import { migrations } from './migrations';

/** Every service reads this schema to authenticate. */
export const accessDatabase: DatabaseArea = {
  name: 'access',
  schema: 'access',
  migrations,
  entities: [Organization, ApiToken],
  isReadOnly: true,
};
