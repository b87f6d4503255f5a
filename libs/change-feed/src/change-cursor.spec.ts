import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createFruitFeed, FRUIT_FEED, type FruitFeed } from '../test/fruit-feed';
import { ChangeFeed } from './change-feed';
import { FeedEpoch } from './change-cursor';

let fruits: FruitFeed;
let serving: DataSource;

beforeAll(async () => {
  fruits = await createFruitFeed();
  await fruits.store('one', { apple: 'red', pear: 'green' });
  serving = await new DataSource({ type: 'postgres', url: fruits.servingUrl }).initialize();
});
afterAll(async () => {
  await serving.destroy();
  await fruits.drop();
});

it.each(['pg_walfile_name(pg_lsn)', 'pg_current_wal_insert_lsn()'])(
  'is that of the last checkpoint where %s is refused: the log says so once, and cursors stay valid',
  async (refused) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const { nextCursor } = await fruits.page('one', { limit: 10 });
    await fruits.dataSource.query(`REVOKE EXECUTE ON FUNCTION ${refused} FROM PUBLIC`);
    const epochs = new FeedEpoch(serving.manager, 'fruit');
    await epochs.onApplicationBootstrap();
    expect(warn.mock.calls).toEqual([[expect.stringContaining('permission denied for function')]]);
    const feed = new ChangeFeed(serving.manager, FRUIT_FEED, fruits.watch, epochs);
    const page = await feed.page('one', { cursor: nextCursor, limit: 10 });
    expect(page).toMatchObject({ items: [], hasMore: false });
    expect(warn).toHaveBeenCalledTimes(1);
    await fruits.dataSource.query(`GRANT EXECUTE ON FUNCTION ${refused} TO PUBLIC`);
    warn.mockRestore();
  },
);
