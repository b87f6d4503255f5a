import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { lastByKey, webchatRecordTypes, type WebchatRecord } from '@cxp/platform-records';
import type { RecordArea } from '@cxp/record-intake';
import { Statement } from '@cxp/storage';

export const ACTIVE_SOURCE = new Statement(
  {},
  'SELECT 1 FROM webchat.installed_source WHERE organization_id = $1 AND id = $2 AND active',
  'prepared',
);

@Injectable()
export class InstalledSourceRepository {
  constructor(private readonly manager: EntityManager) {}

  async isActive(organizationId: string, id: number): Promise<boolean> {
    // Beyond that an integer is no longer the one that was sent.
    if (!Number.isSafeInteger(id)) return false;
    return (await ACTIVE_SOURCE.count(this.manager, [organizationId, id])) === 1;
  }
}

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
