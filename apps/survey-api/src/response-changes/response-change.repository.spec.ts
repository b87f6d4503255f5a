import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { campaignRecord, responseRecord } from '../../test/records';
import { openSurveyDatabase, storeRecords } from '../../test/survey-database';
import { announceBacklog, announceBacklogs } from './announce-backlog';

let dataSource: DataSource;
let close: () => Promise<void>;
let organization: string;
let campaign: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
});
afterAll(() => close());
beforeEach(async () => {
  organization = randomUUID();
  campaign = randomUUID();
  await storeRecords(dataSource, organization, 'survey_campaign', [campaignRecord({ id: campaign })]);
});

const store = (...identifiers: string[]) =>
  storeRecords(
    dataSource,
    organization,
    'survey_response',
    identifiers.map((identifier) => responseRecord({ identifier, survey_campaign_id: campaign })),
  );

/** The upsert of the release that numbered changes for C2 and C3, and knew no feed. */
async function storeByNumberingRelease(identifier: string, name: string): Promise<void> {
  await dataSource.query(
    `WITH counter AS (
       INSERT INTO survey.response_change AS counter (organization_id, latest) VALUES ($1, 1)
       ON CONFLICT (organization_id) DO UPDATE SET latest = counter.latest + 1
       RETURNING latest
     )
     INSERT INTO survey.response (organization_id, identifier, campaign_id, sent_at, user_name, tags, change)
     SELECT $1, $2, $3, '2026-01-05T00:00:00Z', $4, '[]', latest FROM counter
     ON CONFLICT (organization_id, identifier) DO UPDATE SET user_name = EXCLUDED.user_name, change = EXCLUDED.change`,
    [organization, identifier, campaign, name],
  );
}

/** The upsert of the first release, which numbered nothing. */
async function storeByFirstRelease(identifier: string, name: string): Promise<void> {
  await dataSource.query(
    `INSERT INTO survey.response (organization_id, identifier, campaign_id, sent_at, user_name, tags)
     VALUES ($1, $2, $3, '2026-01-05T00:00:00Z', $4, '[]')
     ON CONFLICT (organization_id, identifier) DO UPDATE SET user_name = EXCLUDED.user_name`,
    [organization, identifier, campaign, name],
  );
}

interface State {
  readonly change: number | null;
  readonly feed_change: number | null;
  readonly digest: string | null;
  readonly is_unannounced: boolean;
}

async function stateOf(identifier: string): Promise<State> {
  const [state] = await dataSource.query<[State]>(
    `SELECT response.change::float8, feed_change::float8, response.digest::text, is_unannounced
     FROM survey.response JOIN survey.response_feed USING (organization_id, identifier)
     WHERE organization_id = $1 AND identifier = $2`,
    [organization, identifier],
  );
  return state;
}

describe('writers of previous releases', () => {
  it.each([
    ['that numbers changes', storeByNumberingRelease],
    ['that numbers nothing', storeByFirstRelease],
  ])('may insert and update after the migration; what one %s writes is announced', async (_, write) => {
    const [old, both] = [randomUUID(), randomUUID()];
    await store(both);
    const before = await stateOf(both);
    await write(old, 'Hà');
    await write(both, 'Hà');
    expect(await stateOf(old)).toMatchObject({ feed_change: null, is_unannounced: true });
    expect(await stateOf(both)).toMatchObject({ is_unannounced: true });

    await announceBacklog(dataSource, organization);
    const [oldState, bothState] = [await stateOf(old), await stateOf(both)];
    for (const state of [oldState, bothState]) {
      expect(state).toMatchObject({ is_unannounced: false, digest: expect.any(String) });
      expect(state.feed_change).toBeGreaterThan(before.feed_change!);
      expect(state.change).toBeGreaterThan(before.change!);
    }
    expect(bothState.digest).not.toBe(before.digest);
    expect(new Set([oldState.feed_change, bothState.feed_change]).size).toBe(2);
  });

  it('may delete a campaign and bring it back', async () => {
    const identifier = randomUUID();
    await store(identifier);
    const { feed_change: first } = await stateOf(identifier);
    const setStatus = (status: string) =>
      dataSource.query('UPDATE survey.campaign SET status = $3 WHERE organization_id = $1 AND id = $2', [
        organization,
        campaign,
        status,
      ]);
    await setStatus('deleted');
    await announceBacklogs(dataSource);
    expect(await stateOf(identifier)).toMatchObject({ feed_change: null, is_unannounced: false });
    await setStatus('inactive');
    await announceBacklogs(dataSource);
    expect((await stateOf(identifier)).feed_change).toBeGreaterThan(first!);
    const removals = await dataSource.query<unknown[]>(
      'SELECT FROM survey.change_removal WHERE organization_id = $1',
      [organization],
    );
    expect(removals).toHaveLength(0);
  });

  it('leave a backlog that is announced in several transactions', async () => {
    await dataSource.query(
      `INSERT INTO survey.response (organization_id, identifier, campaign_id, sent_at, tags)
       SELECT $1, gen_random_uuid(), $2, '2026-01-05T00:00:00Z', '[]' FROM generate_series(1, 12000)`,
      [organization, campaign],
    );
    await announceBacklog(dataSource, organization);
    const [counted] = await dataSource.query<[{ numbers: number; transactions: number }]>(
      `SELECT count(DISTINCT feed_change)::int AS numbers, count(DISTINCT xmin::text)::int AS transactions
       FROM survey.response WHERE organization_id = $1 AND announced_change = change`,
      [organization],
    );
    expect(counted).toEqual({ numbers: 12_000, transactions: 3 });
  });
});
