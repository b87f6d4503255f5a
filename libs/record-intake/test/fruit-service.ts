import type { MigrationInterface, QueryRunner } from 'typeorm';
import { messageEnvelope, validationSentences } from '@cxp/error-envelopes';
import { perSecondAndMinute } from '@cxp/rate-limit';
import { ServiceSettings, type ServiceDefinition } from '@cxp/service-kit';
import type { DatabaseArea } from '@cxp/storage';
import { RecordIntakeModule, recordLoc, type PlatformRecord, type RecordArea } from '../src';

class CreateFruit1700000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE fruit.fruit (
        organization_id text NOT NULL,
        id bigint NOT NULL,
        name text NOT NULL,
        PRIMARY KEY (organization_id, id)
      )`);
  }

  async down(): Promise<void> {}
}

export const fruitDatabase: DatabaseArea = {
  name: 'fruit',
  schema: 'fruit',
  migrations: [CreateFruit1700000000000],
};

interface Fruit {
  readonly id: number;
  readonly name: string;
}

/** Records that only the stored data can judge: a name can not be `unwelcome`. */
export const fruitRecords: RecordArea = {
  name: 'fruit',
  schemas: {
    fruit: {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { type: 'integer' }, name: { type: 'string' } },
    },
  },
  openWriter: (manager, organizationId) => ({
    async write(records) {
      const isUnwelcome = ({ data }: PlatformRecord) => (data as Fruit).name === 'unwelcome';
      for (const { data } of records.filter((record) => !isUnwelcome(record))) {
        const { id, name } = data as Fruit;
        await manager.query(
          `INSERT INTO fruit.fruit (organization_id, id, name) VALUES ($1, $2, $3)
           ON CONFLICT (organization_id, id) DO UPDATE SET name = excluded.name`,
          [organizationId, id, name],
        );
      }
      return records.filter(isUnwelcome).map(({ line }) => ({
        loc: recordLoc(line, 'data', 'name'),
        msg: 'is unwelcome',
        type: 'value_error',
      }));
    },
  }),
};

/** A service that takes fruit, of the area whose own errors are not worded `detail`. */
export const fruitService: ServiceDefinition<ServiceSettings> = {
  name: 'fruit',
  settings: ServiceSettings,
  port: () => 0,
  envelope: messageEnvelope,
  validationProblems: validationSentences,
  rateLimits: () => perSecondAndMinute(1, 1),
  imports: () => [RecordIntakeModule.forRoot(fruitRecords)],
  document: (builder) => builder,
};
