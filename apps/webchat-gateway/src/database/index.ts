import type { DatabaseArea } from '@cxp/storage';
import { CreateWebchat1763700100000 } from './migrations/1763700100000-create-webchat';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1763700100000],
};
