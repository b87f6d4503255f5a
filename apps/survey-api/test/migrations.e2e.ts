import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { CampaignRepository } from '../src/campaigns/campaign.repository';
import { FindPersonsByNumbers1764201000000 } from '../src/database/migrations';
import { personKeysOfMapping, personKeysOfResponse } from '../src/erasure/personal-data';
import { LinkRepository } from '../src/links/link.repository';
import type { MetadataValue } from '../src/links/link.schema';
import { MetadataFieldRepository } from '../src/metadata-fields/metadata-field.repository';
import type { ResponseRecord } from '../src/responses/response-fields';
import { campaignRecord, responseRecord } from './records';
import { openSurveyDatabase, storeRecords } from './survey-database';

let dataSource: DataSource;
let close: () => Promise<void>;
let organization: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
});
beforeEach(() => {
  organization = randomUUID();
});
afterAll(() => close());

describe('persons are found by numbers that were stored before numbers had keys', () => {
  const FIELDS = [7, 84901234568].map((id) => ({ id, name: `Field ${id}`, variable: `field_${id}` }));

  const withoutNumbers = <Value>(value: Value) =>
    JSON.parse(JSON.stringify(value), (_, item: unknown) =>
      typeof item === 'number' ? null : item,
    ) as Value;

  /** The keys of a row; its place in the table is another one once it was written. */
  async function storedIn(table: string): Promise<{ keys: string[]; place: string }> {
    const [row] = await dataSource.query<{ keys: string[]; place: string }[]>(
      `SELECT person_keys AS keys, ctid::text AS place FROM survey.${table} WHERE organization_id = $1`,
      [organization],
    );
    return row!;
  }

  /** Gives a row the keys that the release before has stored. @returns what the migration has made of it */
  async function migrated(table: string, keysBefore: readonly string[]) {
    await dataSource.query(`UPDATE survey.${table} SET person_keys = $2 WHERE organization_id = $1`, [
      organization,
      keysBefore,
    ]);
    const before = await storedIn(table);
    const queryRunner = dataSource.createQueryRunner();
    await new FindPersonsByNumbers1764201000000().up(queryRunner).finally(() => queryRunner.release());
    const { keys, place } = await storedIn(table);
    return { keys: keys.sort(), isWritten: place !== before.place };
  }

  it.each<[metadata: unknown, isWritten: boolean, parts?: Partial<ResponseRecord>]>([
    [{ phone: 84901234567 }, true],
    [{ phone: -5, rate: 1.5, nothing: 0 }, true],
    [{ same: [5, 5, '5'] }, true],
    [{ list: ['Hoa@Example.com', 1, [2.25, { deep: 84901234567, text: '+84 90' }]], empty: [{}] }, true],
    [{ phone: 84901234567 }, true, { user_phone: '84901234567', user_email: 'Hoa@Example.com' }],
    [{ phone: '84901234567', yes: true, none: null, list: ['1'] }, false],
    [{}, false],
    [null, false, { user_phone: '84901234567' }],
  ])('of a response with %j', async (metadata, isWritten, parts = {}) => {
    const record = responseRecord({
      ...parts,
      metadata_mappings: metadata as Record<string, unknown> | null,
    });
    await storeRecords(dataSource, organization, 'survey_response', [record]);
    const keysBefore = personKeysOfResponse(withoutNumbers(record));
    const keys = personKeysOfResponse(record).sort();
    expect(await migrated('response', keysBefore)).toEqual({ keys, isWritten });
  });

  it.each<[values: MetadataValue[], isWritten: boolean]>([
    [[84901234567], true],
    [[-5, 1.5], true],
    [[['Hoa@Example.com', 84901234567, null, '84901234567'], 'x'], true],
    [['84901234567', ['x', null]], false],
    [[null], false],
    [[], false],
  ])('of a link with %j', async (values, isWritten) => {
    const campaign = campaignRecord();
    await new CampaignRepository(dataSource.manager).storeAll(organization, [campaign]);
    await new MetadataFieldRepository(dataSource.manager).storeAll(organization, FIELDS);
    const mapping = values.map((value, place) => ({ metadata_id: FIELDS[place]!.id, value }));
    const links = new LinkRepository(dataSource.manager);
    await links.findOrCreateAll(organization, campaign.id, [{ name: 'Store', mapping }], 50);
    const keysBefore = personKeysOfMapping(mapping.map(({ value }) => ({ value: withoutNumbers(value) })));
    const keys = personKeysOfMapping(mapping).sort();
    expect(await migrated('link', keysBefore)).toEqual({ keys, isWritten });
  });
});
