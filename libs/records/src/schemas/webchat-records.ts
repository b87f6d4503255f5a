import { Type } from '@sinclair/typebox';
import type { PlatformRecord, RecordTypes } from './record-types';
import { safeInteger } from './record-schemas';

const installedSource = Type.Object({
  id: safeInteger,
  name: Type.String(),
  channelType: Type.Optional(Type.String({ description: 'Default `chat`' })),
  active: Type.Optional(
    Type.Boolean({ description: 'Default true. Sessions start from active installed sources only' }),
  ),
});

export const webchatRecordTypes = {
  installed_source: { data: installedSource, key: 'id', removable: false },
} as const satisfies RecordTypes;

export type WebchatRecord = PlatformRecord<typeof webchatRecordTypes>;
