import { randomUUID } from 'node:crypto';
import type { QueryRunner } from 'typeorm';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { statementsThatWait } from '@cxp/testing';
import { campaignRecord } from './records';
import { createLink, importRecords, startSurvey } from './survey-service';

/** More than the pool has connections. */
const CALLS = 24;

let service: TestService;
let caller: Caller;
let campaign: string;
let lock: QueryRunner;

beforeAll(async () => {
  service = await startSurvey();
  lock = service.dataSource.createQueryRunner();
});
beforeEach(async () => {
  caller = await service.caller();
  campaign = randomUUID();
  await importRecords(
    service,
    caller,
    ['survey_campaign', campaignRecord({ id: campaign })],
    ['metadata_field', { id: 1, name: 'Cửa hàng', variable: 'store' }],
  );
});
afterAll(async () => {
  await lock.release();
  await service.stop();
});

const create = (value: number) =>
  createLink(service, caller, campaign, { name: 'Link', metadata_mapping: [{ metadata_id: 1, value }] });

it.each(['metadata_field', 'link'])(
  'links that wait for the locked table %s are answered in time, and their statements are cancelled',
  async (table) => {
    await lock.startTransaction();
    await lock.query(`LOCK TABLE survey.${table}`);
    const answers = await Promise.all(Array.from({ length: CALLS }, (_, call) => create(call)));
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([503]);
    await eventually(async () => (await statementsThatWait(lock)).length === 0);
    await lock.rollbackTransaction();
    await create(0).expect(200);
  },
);
