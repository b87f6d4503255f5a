import { createFruitFeed, type FruitFeed } from '../test/fruit-feed';
import { ChangeFeedMaintenance } from './change-feed.maintenance';

const DAY_SECONDS = 24 * 60 * 60;

describe('the job of a feed', () => {
  let fruits: FruitFeed;

  beforeEach(async () => {
    fruits = await createFruitFeed();
    await fruits.store('one', { apple: 'red', pear: 'green' });
    await fruits.store('one', { apple: null });
  });
  afterEach(() => fruits.drop());

  const job = (removalsKeptDays: number) =>
    new ChangeFeedMaintenance(fruits.dataSource, { schema: 'fruit', removalsKeptDays });

  const removals = async () =>
    (await fruits.dataSource.query<{ key: string }[]>('SELECT key FROM fruit.change_removal')).length;

  /** As if everything had happened so much earlier. */
  const passTime = async (seconds: number) => {
    const { manager } = fruits.dataSource;
    const [removed] = await manager.query<{ at: Date | null }[]>(
      `SELECT min(recorded_at) - interval '${seconds} seconds' AS at FROM fruit.change_removal`,
    );
    await manager.query('UPDATE fruit.change_removal SET recorded_at = $1', [removed!.at]);
  };

  it('keeps removals for as many days as set', async () => {
    const kept = job(3);
    await kept.run();
    await passTime(3 * DAY_SECONDS - 60);
    await kept.run();
    expect(await removals()).toBe(1);
    await passTime(120);
    await kept.run();
    expect(await removals()).toBe(0);
    expect(await fruits.dataSource.query('SELECT pruned FROM fruit.change_feed')).toEqual([{ pruned: '3' }]);
  });

  it('keeps removals for one run when they are kept for 0 days', async () => {
    const kept = job(0);
    await passTime(1);
    await kept.run();
    expect(await removals()).toBe(1);
    await passTime(60);
    await kept.run();
    expect(await removals()).toBe(0);
  });

  it('prunes any number of removals, in steps', async () => {
    await fruits.dataSource.query(
      `INSERT INTO fruit.change_removal (organization_id, op, key, change, recorded_at)
       SELECT 'one', 'delete', 'many ' || n, n, 'epoch' FROM generate_series(1, 5001) AS n`,
    );
    await fruits.dataSource.query('ANALYZE fruit.change_removal');
    await job(90).prune(new Date(1));
    expect(await removals()).toBe(1);
    expect(await fruits.dataSource.query('SELECT pruned FROM fruit.change_feed')).toEqual([
      { pruned: '5001' },
    ]);
  });

  it('prunes all organizations, and does the rest of its work, if that of one fails', async () => {
    await fruits.store('two', { plum: 'blue' });
    await fruits.store('two', { plum: null });
    await fruits.dataSource.query(`
      CREATE FUNCTION fruit.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not this one'; END $$;
      CREATE TRIGGER fail BEFORE DELETE ON fruit.change_removal FOR EACH ROW
        WHEN (OLD.organization_id = 'one') EXECUTE FUNCTION fruit.fail();`);
    const maintain = jest.fn().mockResolvedValue(undefined);
    const options = { schema: 'fruit', removalsKeptDays: 90, maintain };
    await new ChangeFeedMaintenance(fruits.dataSource, options).prune(new Date(Date.now() + 60_000));
    const left = await fruits.dataSource.query('SELECT organization_id FROM fruit.change_removal');
    expect(left).toEqual([{ organization_id: 'one' }]);
    expect(maintain).toHaveBeenCalledTimes(1);
  });

  it('can run in several processes at once', async () => {
    await Promise.all([1, 2, 3].map(() => job(90).prune(new Date(Date.now() + 60_000))));
    expect(await removals()).toBe(0);
    expect(await fruits.dataSource.query('SELECT pruned FROM fruit.change_feed')).toEqual([{ pruned: '3' }]);
  });
});
