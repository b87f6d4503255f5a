import { erasureEntity } from '@cxp/erasure';
import type { DatabaseSchema } from '@cxp/storage';
import { InstalledSource } from '../installed-sources/installed-source.repository';
import { CreateWebchat1795824000000 } from './create-webchat';

export const webchatDatabase: DatabaseSchema = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1795824000000],
  entities: [InstalledSource, erasureEntity('webchat')],
};
