import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { campaignRecord, responseRecord } from '../../test/records';
import { openSurveyDatabase, storeRecords } from '../../test/survey-database';
import { instantsOf } from '../calendar/day-window';
import type { ResponseRecord } from '../responses/response-record';
import type { SurveyResponse } from '../responses/survey-response';
import { ExportedResponseReadModel, type ExportSelection } from './exported-response.read-model';

let dataSource: DataSource;
let close: () => Promise<void>;
let readModel: ExportedResponseReadModel;
let organization: string;
let campaign: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  readModel = new ExportedResponseReadModel(dataSource.manager);
});
afterAll(() => close());

beforeEach(async () => {
  organization = randomUUID();
  campaign = randomUUID();
  await storeRecords(dataSource, organization, 'survey_campaign', [campaignRecord({ id: campaign })]);
});

const store = (...records: ResponseRecord[]) =>
  storeRecords(dataSource, organization, 'survey_response', records);
const response = (parts: Partial<ResponseRecord> = {}) =>
  responseRecord({ survey_campaign_id: campaign, ...parts });

function select({ limit = 5000 } = {}): Promise<ExportSelection> {
  const days = { startDate: '2026-01-01', endDate: '2026-01-31' };
  const window = { campaignId: campaign, ...instantsOf(days) };
  return readModel.select(organization, { window, limit });
}

/** How many responses each page held, and all of them. */
async function readAll(identifiers: readonly string[]) {
  const pages: number[] = [];
  const responses: SurveyResponse[] = [];
  while (responses.length < identifiers.length) {
    const page = await readModel.readPage(organization, campaign, identifiers.slice(responses.length));
    pages.push(page.length);
    responses.push(...page);
  }
  return { pages, responses };
}

const identifiersOf = (records: readonly { identifier: string }[]) =>
  records.map(({ identifier }) => identifier);

describe('ExportedResponseReadModel', () => {
  it('selects the earliest, and says how many the window holds', async () => {
    const records = ['2026-01-03', '2026-01-02', '2026-01-04'].map((day) =>
      response({ sent_timestamp: `${day}T00:00:00.000Z` }),
    );
    await store(...records, response({ sent_timestamp: '2026-02-01T00:00:00.000Z' }));
    const order = identifiersOf([records[1]!, records[0]!, records[2]!]);
    for (const limit of [4, 3, 2]) {
      expect(await select({ limit })).toEqual({ total: 3, identifiers: order.slice(0, limit) });
    }
  });

  it('reads the selected responses in their order, page by page, with what changed meanwhile', async () => {
    const records = Array.from({ length: 250 }, () => response());
    await store(...records);
    const { identifiers } = await select();
    await store(response({ sent_timestamp: '2026-01-01T00:00:00.000Z' }));
    await store({ ...records[0]!, user_name: 'Hà', sent_timestamp: '2026-01-30T00:00:00.000Z' });
    const { pages, responses } = await readAll(identifiers);
    expect(pages).toEqual([100, 100, 50]);
    expect(identifiersOf(responses)).toEqual(identifiers);
    expect(responses.find(({ identifier }) => identifier === records[0]!.identifier)!.user_name).toBe('Hà');
  });

  it('reads few large responses at once, in any script', async () => {
    const texts = [300, 300, 0, 600, 0, 0].map((kilobytes) => 'ế'.repeat((kilobytes * 1024) / 3));
    const records = texts.map((text, day) =>
      response({ sent_timestamp: `2026-01-0${day + 1}T00:00:00.000Z`, transaction_id: text }),
    );
    await store(...records);
    const { pages, responses } = await readAll(identifiersOf(records));
    expect(pages).toEqual([2, 2, 2]);
    expect(responses.map(({ transaction_id }) => transaction_id)).toEqual(texts);
  });

  it.each([
    ['first', 0],
    ['one in the middle', 1],
    ['last', 2],
  ])(
    'fails when the %s of a page has left the campaign: a file never lacks a row silently',
    async (_, gone) => {
      const records = Array.from({ length: 3 }, () => response());
      await store(...records);
      const { identifiers } = await select();
      await store({
        ...records.find(({ identifier }) => identifier === identifiers[gone])!,
        survey_campaign_id: randomUUID(),
      });
      await expect(readAll(identifiers)).rejects.toThrow('A response was removed while it was exported');
    },
  );

  it('reads nothing of another organization', async () => {
    const record = response();
    await store(record);
    await expect(readModel.readPage(randomUUID(), campaign, [record.identifier])).rejects.toThrow('removed');
  });
});
