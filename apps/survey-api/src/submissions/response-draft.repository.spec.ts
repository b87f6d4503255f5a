import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { openSurveyDatabase } from '../../test/survey-database';
import { ResponseDraftRepository } from './response-draft.repository';

let dataSource: DataSource;
let close: () => Promise<void>;
let drafts: ResponseDraftRepository;

const ORGANIZATION = 'acme';

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  drafts = new ResponseDraftRepository(dataSource.manager);
});
afterAll(() => close());

async function storeDraft(identifier: string = randomUUID(), organization = ORGANIZATION): Promise<string> {
  await drafts.store(organization, { identifier, campaignId: randomUUID(), answers: { '1': 'typed' } });
  return identifier;
}

async function stored(): Promise<string[]> {
  const rows: { identifier: string }[] = await dataSource.query(
    'SELECT identifier FROM survey.response_draft ORDER BY identifier',
  );
  return rows.map(({ identifier }) => identifier);
}

const age = (identifier: string, days: number) =>
  dataSource.query(
    `UPDATE survey.response_draft SET saved_at = saved_at - make_interval(secs => $2) WHERE identifier = $1`,
    [identifier, days * 86_400],
  );

const answer = (identifier: string) =>
  dataSource.query(
    `INSERT INTO survey.response (organization_id, identifier, campaign_id, answered_at, tags, change)
     VALUES ($1, $2, $3, now(), '[]', 1)`,
    [ORGANIZATION, identifier, randomUUID()],
  );

beforeEach(() => dataSource.query('TRUNCATE survey.response_draft, survey.response'));

describe('ResponseDraftRepository', () => {
  it('prunes drafts that are older than they are kept, and no others', async () => {
    const [old, young] = [await storeDraft(), await storeDraft()];
    await age(old, 7.01);
    await age(young, 6.99);
    expect(await drafts.prune(7)).toBe(1);
    expect(await stored()).toEqual([young]);
  });

  it('keeps a draft for as long as it is saved again', async () => {
    const draft = await storeDraft();
    await age(draft, 8);
    await storeDraft(draft);
    expect(await drafts.prune(7)).toBe(0);
  });

  it('keeps none at all for 0 days', async () => {
    await storeDraft();
    expect(await drafts.prune(0)).toBe(1);
  });

  it('stores no draft of a response that is answered', async () => {
    const answered = randomUUID();
    await answer(answered);
    await storeDraft(answered);
    expect(await stored()).toEqual([]);
  });

  it('stores a draft of the same id in another organization, which a removal leaves', async () => {
    const answered = randomUUID();
    await answer(answered);
    await storeDraft(answered, 'another organization');
    await drafts.removeAll(ORGANIZATION, [answered]);
    expect(await drafts.prune(7)).toBe(0);
    expect(await stored()).toEqual([answered]);
  });

  it('prunes a draft that was stored while its response was being answered', async () => {
    const draft = await storeDraft();
    await answer(draft);
    expect(await drafts.prune(7)).toBe(1);
  });
});
