import type { DatabaseArea } from '@cxp/storage';
import { migrations } from './migrations';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations,
};
