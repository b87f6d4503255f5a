import type { DatabaseArea } from '@cxp/storage';
import { CreateWebchat1795700000000 } from './migrations/1795700000000-create-webchat';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1795700000000],
};
