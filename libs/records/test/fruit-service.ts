import { type DynamicModule, Module } from '@nestjs/common';
import { DocumentBuilder } from '@nestjs/swagger';
import { Type } from '@sinclair/typebox';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { accessDatabase } from '@cxp/auth-headers';
import { messageEnvelope, rejectAsInvalid, validationSentences } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { PlatformModule, type PlatformOptions, ServiceSettings } from '@cxp/service-kit';
import type { DatabaseSchema } from '@cxp/storage';
import { lastByKey, ofType, type PlatformRecord, type RecordTypes } from '../src/schemas/record-types';
import { type RecordStore, RecordIntakeModule, recordLoc, runsOf } from '../src';

class CreateFruitRecords1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE fruit.fruit (
        organization_id text COLLATE "C" NOT NULL,
        id bigint NOT NULL,
        name text NOT NULL CHECK (name <> 'poison'),
        PRIMARY KEY (organization_id, id)
      )`);
  }

  async down(): Promise<void> {}
}

export const fruitDatabase: DatabaseSchema = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruitRecords1700000000000],
};

const fruitTypes = {
  fruit: {
    data: Type.Object({ id: Type.Integer(), name: Type.String() }),
    key: 'id',
    removable: true,
  },
  weather: { data: Type.Object({ name: Type.String() }), key: null, removable: false },
} as const satisfies RecordTypes;

/** Records that only the stored data can judge: a name can not be `unwelcome`. */
export const fruitRecords: RecordStore<PlatformRecord<typeof fruitTypes>> = {
  name: 'fruit',
  types: fruitTypes,
  async store(manager, organizationId, records) {
    for (const run of runsOf(records)) {
      if (run.op === 'delete') {
        await manager.query('DELETE FROM fruit.fruit WHERE organization_id = $1 AND id = ANY ($2)', [
          organizationId,
          run.records.map(({ data }) => data.id),
        ]);
        continue;
      }
      const fruits = ofType(run.records, 'fruit');
      const unwelcome = fruits.filter(({ data }) => data.name === 'unwelcome');
      if (unwelcome.length > 0) {
        const problem = { msg: 'is unwelcome', type: 'value_error' };
        rejectAsInvalid(
          ...unwelcome.map(({ line }) => ({ loc: recordLoc(line, 'data', 'name'), ...problem })),
        );
      }
      const last = lastByKey(
        fruits.map(({ data }) => data),
        ({ id }) => id,
      );
      await manager.query(
        `INSERT INTO fruit.fruit (organization_id, id, name)
         SELECT $1, fruit.* FROM unnest($2::bigint[], $3::text[]) AS fruit
         ON CONFLICT (organization_id, id) DO UPDATE SET name = excluded.name`,
        [organizationId, last.map(({ id }) => id), last.map(({ name }) => name)],
      );
    }
  },
};

/** A service that takes fruit, of the area whose own errors are not worded `detail`. */
@Module({})
export class FruitModule {
  static readonly serviceName = 'fruit';
  static readonly settings = ServiceSettings;

  static platform(_settings: ServiceSettings): PlatformOptions {
    const limits = { FRUIT_PER_SEC_LIMIT: 1, FRUIT_PER_MIN_LIMIT: 1 };
    return {
      name: FruitModule.serviceName,
      port: 0,
      databases: [accessDatabase, fruitDatabase],
      envelope: messageEnvelope,
      validationProblems: validationSentences,
      rateLimits: { default: perSecondAndMinute(limits, 'FRUIT') },
      document: new DocumentBuilder(),
    };
  }

  static forRoot(
    settings: ServiceSettings,
    intake = RecordIntakeModule.forRoot(fruitRecords),
  ): DynamicModule {
    const platform = PlatformModule.forRoot(settings, FruitModule.platform(settings));
    return { module: FruitModule, imports: [platform, intake] };
  }
}
