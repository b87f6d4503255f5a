import { Type, type Static } from '@sinclair/typebox';
import type { PlatformRecord, RecordTypes } from '@cxp/platform-records';
import type { StreamedArea } from '@cxp/record-intake';
import { OutboxRepository } from './outbox.repository';

const orNull = { type: ['integer', 'string', 'null'] };

const changed = Type.Object({
  /** Tells it from the other changes of its conversation. */
  position: Type.String(),
  conversationId: Type.String({ format: 'uuid' }),
  messageSequence: Type.Unsafe<string | null>(orNull),
  activityId: Type.Unsafe<string | null>(orNull),
  ratingRequest: Type.Unsafe<string | null>(orNull),
  isErased: Type.Optional(Type.Boolean()),
});

/** A change of a conversation as the outbox has it. */
export type Changed = Static<typeof changed>;

const types = {
  change: { data: changed, key: 'conversationId', removable: false },
} as const satisfies RecordTypes;

/** Changes that were put aside as records: to store one again is to add it to the outbox. */
export const rejectedChanges: StreamedArea<PlatformRecord<typeof types>> = {
  name: 'webchat',
  schema: 'webchat',
  types,
  async store(manager, organizationId, records) {
    const changes = records.map(({ data }) => data);
    await new OutboxRepository(manager).add(organizationId, changes);
  },
};
