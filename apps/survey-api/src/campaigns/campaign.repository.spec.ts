import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { campaignRecord } from '../../test/records';
import { openSurveyDatabase } from '../../test/survey-database';
import { CampaignListReadModel } from './campaign-list.read-model';
import { type CampaignRecord, CampaignRepository, NOTE_INTERACTIONS } from './campaign.repository';
import { questionsById, type SurveyQuestion } from './survey-question';

const listed = ['draft', 'active', 'inactive'] as const;
const firstPage = { offset: 0, limit: 100 };

let dataSource: DataSource;
let close: () => Promise<void>;
let repository: CampaignRepository;
let list: CampaignListReadModel;
let organization: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  repository = new CampaignRepository(dataSource.manager);
  list = new CampaignListReadModel(dataSource.manager);
});

afterAll(() => close());

beforeEach(() => {
  organization = randomUUID();
});

const store = (records: CampaignRecord[], owner = organization) => repository.storeAll(owner, records);
const interact = (interactions: Record<string, string>, owner = organization) =>
  dataSource.query(
    `WITH interaction (campaign_id, interacted_at) AS (SELECT * FROM unnest($2::uuid[], $3::timestamptz[]))
     ${NOTE_INTERACTIONS}`,
    [owner, Object.keys(interactions), Object.values(interactions)],
  );

async function lastInteraction(id: string): Promise<string | undefined> {
  const { items } = await list.page(organization, { statuses: listed, ids: [id] }, firstPage);
  return items[0]?.last_interacted_at?.toISOString();
}

describe('CampaignRepository', () => {
  it('finds a campaign of the organization, and of no other', async () => {
    const questions: SurveyQuestion[] = [
      {
        id: 9007199254740991,
        type: 'checkbox',
        metric_type: 'nps',
        title: 'Bạn thích gì? 😀',
        option_titles_by_id: { '2': 'Trà', '1': 'Cà phê' },
        row_titles_by_id: null,
        column_titles: null,
      },
    ];
    const record = campaignRecord({ touchpoints: ['POS', 'Zalo'], survey_questions: questions });
    await store([record]);
    await store([campaignRecord({ id: record.id, name: 'The same id elsewhere' })], 'another organization');

    expect(await repository.find(organization, record.id)).toEqual({
      organizationId: organization,
      id: record.id,
      name: record.name,
      status: 'active',
      touchpoints: ['POS', 'Zalo'],
      questions,
    });
    expect(await repository.find(randomUUID(), record.id)).toBeNull();
    expect(await repository.questionsOf(organization, [record.id, randomUUID()])).toEqual(
      new Map([[record.id, questionsById(questions)]]),
    );
  });

  it('replaces a campaign whole, and keeps the last of several records in one batch', async () => {
    const record = campaignRecord({ touchpoints: ['POS'] });
    await store([record]);
    await store([
      campaignRecord({ id: record.id, name: 'Second' }),
      campaignRecord({ id: record.id, name: 'Third' }),
    ]);
    expect(await repository.find(organization, record.id)).toMatchObject({ name: 'Third', touchpoints: [] });
  });

  it('moves the last interaction forward, never back', async () => {
    const record = campaignRecord({ last_interacted_at: '2026-01-02T00:00:00.000Z' });
    await store([record]);
    await interact({ [record.id]: '2026-01-01T00:00:00.000Z' });
    expect(await lastInteraction(record.id)).toBe('2026-01-02T00:00:00.000Z');
    await interact({ [record.id]: '2026-01-03T00:00:00.000Z' });
    expect(await lastInteraction(record.id)).toBe('2026-01-03T00:00:00.000Z');
    await interact({ [record.id]: '2026-01-02T12:00:00.000Z' });
    expect(await lastInteraction(record.id)).toBe('2026-01-03T00:00:00.000Z');
    await store([{ ...record, last_interacted_at: null }]);
    expect(await lastInteraction(record.id)).toBe('2026-01-03T00:00:00.000Z');
    await store([{ ...record, last_interacted_at: '2026-01-04T00:00:00.000Z' }]);
    expect(await lastInteraction(record.id)).toBe('2026-01-04T00:00:00.000Z');
  });

  it('awaits a campaign that had an interaction before its record arrived', async () => {
    const record = campaignRecord();
    await interact({ [record.id]: '2026-01-03T00:00:00.000Z' });
    expect(await repository.find(organization, record.id)).toBeNull();
    expect(await repository.questionsOf(organization, [record.id])).toEqual(new Map());
    expect(await lastInteraction(record.id)).toBeUndefined();

    await store([record]);
    expect(await lastInteraction(record.id)).toBe('2026-01-03T00:00:00.000Z');
  });

  it('keeps the latest of interactions that are noted at once', async () => {
    const id = randomUUID();
    const days = Array.from(
      { length: 28 },
      (_, day) => `2026-01-${String(day + 1).padStart(2, '0')}T00:00:00.000Z`,
    );
    await Promise.all([store([campaignRecord({ id })]), ...days.map((day) => interact({ [id]: day }))]);
    expect(await lastInteraction(id)).toBe('2026-01-28T00:00:00.000Z');
  });
});
