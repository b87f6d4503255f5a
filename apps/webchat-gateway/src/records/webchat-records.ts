import { lastByKey, webchatRecordTypes, type WebchatRecord } from '@cxp/platform-records';
import type { RecordArea } from '@cxp/record-intake';
import { Statement } from '@cxp/storage';

const STORE_SOURCES = new Statement(
  {},
  `INSERT INTO webchat.installed_source (organization_id, id, name, channel_type, active)
   SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[])
   ON CONFLICT (organization_id, id) DO UPDATE
     SET name = excluded.name, channel_type = excluded.channel_type, active = excluded.active`,
);

export const webchatRecords: RecordArea<WebchatRecord> = {
  name: 'webchat',
  types: webchatRecordTypes,
  async store(manager, organizationId, records) {
    const sources = lastByKey(
      records.map(({ data }) => data),
      ({ id }) => id,
    );
    await STORE_SOURCES.count(manager, [
      organizationId,
      sources.map(({ id }) => id),
      sources.map(({ name }) => name),
      sources.map(({ channelType }) => channelType ?? 'chat'),
      sources.map(({ active }) => active ?? true),
    ]);
  },
};
