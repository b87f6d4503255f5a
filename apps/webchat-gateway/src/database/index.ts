import { erasureEntity } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { InstalledSource } from '../installed-sources/installed-source.repository';
import { CreateWebchat1795824000000 } from './create-webchat';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations: [CreateWebchat1795824000000],
  entities: [InstalledSource, erasureEntity('webchat')],
};
