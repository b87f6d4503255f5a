import { erasureEntity } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { InstalledSource } from '../installed-sources/installed-source.repository';
import { migrations } from './migrations';

export const webchatDatabase: DatabaseArea = {
  name: 'webchat',
  schema: 'webchat',
  migrations,
  entities: [InstalledSource, erasureEntity('webchat')],
};
