import type { PlatformRecord, RecordArea } from '@cxp/record-intake';

/** An `installed_source` record's data. */
interface InstalledSource {
  readonly id: number;
  readonly name: string;
  readonly channelType?: string;
  readonly active?: boolean;
}

export const webchatRecords: RecordArea = {
  name: 'webchat',
  schemas: {
    installed_source: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
        name: { type: 'string' },
        channelType: { type: 'string' },
        active: { type: 'boolean' },
      },
    },
  },
  openWriter: (manager, organizationId) => ({
    async write(records: readonly PlatformRecord[]) {
      const sources = records.map(({ data }) => data as InstalledSource);
      // One statement can't upsert a key twice: of repeated ones the last counts.
      const lastById = [...new Map(sources.map((source) => [source.id, source])).values()];
      await manager.query(
        `INSERT INTO webchat.installed_source (organization_id, id, name, channel_type, active)
         SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[])
         ON CONFLICT (organization_id, id) DO UPDATE
           SET name = excluded.name, channel_type = excluded.channel_type, active = excluded.active`,
        [
          organizationId,
          lastById.map(({ id }) => id),
          lastById.map(({ name }) => name),
          lastById.map(({ channelType }) => channelType ?? 'chat'),
          lastById.map(({ active }) => active ?? true),
        ],
      );
      return [];
    },
  }),
};
