import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Column, Entity, EntityManager, PrimaryColumn } from 'typeorm';
import { lastByKey, type RecordStore, type WebchatRecord, webchatRecordTypes } from '@cxp/records';
import { bigintAsNumber, inPieces, Statement } from '@cxp/storage';

/** The site or app that shows a company's chat. */
@Entity({ schema: 'webchat', name: 'installed_source' })
export class InstalledSource {
  @PrimaryColumn('text', { name: 'organization_id', collation: 'C' })
  readonly organizationId!: string;

  @PrimaryColumn('bigint', { transformer: bigintAsNumber })
  readonly id!: number;

  @Column('text')
  readonly name!: string;

  @Column('text', { name: 'channel_type' })
  readonly channelType!: string;

  @Column('boolean')
  readonly active!: boolean;
}

const ACTIVE_SOURCE = new Statement(
  { organizationId: 'text', id: 'bigint' },
  {},
  'SELECT 1 FROM webchat.installed_source WHERE organization_id = $organizationId AND id = $id AND active',
  'prepared',
);

/** Milliseconds, so that another state counts within five seconds. Only active sources are remembered. */
const ACTIVE_FOR_MS = 4_000;
const REMEMBERED_SOURCES = 10_000;

@Injectable()
export class InstalledSourceRepository {
  private readonly active = new LRUCache<string, true>({ max: REMEMBERED_SOURCES, ttl: ACTIVE_FOR_MS });

  constructor(private readonly manager: EntityManager) {}

  async isActive(organizationId: string, id: number): Promise<boolean> {
    // JavaScript rounds larger integers.
    if (!Number.isSafeInteger(id)) return false;
    const key = `${id} ${organizationId}`;
    if (this.active.has(key)) return true;
    const isActive = (await ACTIVE_SOURCE.count(this.manager, { organizationId, id })) === 1;
    if (isActive) this.active.set(key, true);
    return isActive;
  }
}

/** PostgreSQL allows 65,535 parameters; each row has five. */
const SOURCES_AT_ONCE = 1_000;

export const webchatRecords: RecordStore<WebchatRecord> = {
  name: 'webchat',
  types: webchatRecordTypes,
  async store(manager, organizationId, records) {
    const sources = lastByKey(
      records.map(({ data }) => data),
      ({ id }) => id,
    ).map(({ id, name, channelType = 'chat', active = true }) => ({
      organizationId,
      id,
      name,
      channelType,
      active,
    }));
    for (const some of inPieces(sources, SOURCES_AT_ONCE)) {
      await manager.getRepository(InstalledSource).upsert([...some], ['organizationId', 'id']);
    }
  },
};
