import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import {
  booleanColumn,
  bytesColumn,
  CopyStatement,
  numberColumn,
  selectList,
  textColumn,
} from './copy-statement';

const COLUMNS = {
  text: textColumn<string | null>('value.text'),
  bytes: bytesColumn('value.text'),
  number: numberColumn<number | null>('value.number::float8'),
  isGreat: booleanColumn('value.number > 1'),
};

const VALUES = new CopyStatement<object>(
  COLUMNS,
  `SELECT ${selectList(COLUMNS)} FROM unnest($1::text[], $2::bigint[]) AS value (text, number)
   WHERE $3::text IS NULL OR value.text = $3`,
  { inIndexOrder: false },
);

describe('CopyStatement', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    dataSource = await new DataSource({ type: 'postgres', url: database.url, poolSize: 1 }).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  it('reads texts, bytes, numbers and booleans, and gives its connection back', async () => {
    const texts = ['', "a 'quoted' \\ text\n$1", 'Nguyễn 😀', "'; DROP SCHEMA public; --"];
    const numbers = [0, -1, 2 ** 53, 3];
    for (let round = 0; round < 3; round++) {
      expect(await VALUES.run(dataSource.manager, [texts, numbers, null])).toEqual(
        texts.map((text, i) => ({
          text,
          bytes: Buffer.from(text),
          number: numbers[i],
          isGreat: numbers[i]! > 1,
        })),
      );
    }
  });

  it.each([
    ['jit', 'off', true],
    ['enable_sort', 'off', true],
    ['enable_sort', 'on', false],
  ])('runs with %s = %s if in index order: %s', async (setting, value, inIndexOrder) => {
    const columns = { value: textColumn(`current_setting('${setting}')`) };
    const statement = new CopyStatement(columns, `SELECT ${selectList(columns)}`, { inIndexOrder });
    expect(await statement.run(dataSource.manager, [])).toEqual([{ value }]);
  });

  it('finds nothing by a text that only looks like another one', async () => {
    expect(await VALUES.run(dataSource.manager, [['a'], [1], "a' OR ''='"])).toEqual([]);
    expect(await VALUES.run(dataSource.manager, [["a' OR ''='"], [1], "a' OR ''='"])).toHaveLength(1);
  });

  it('reads no rows, and rows of several chunks', async () => {
    expect(await VALUES.run(dataSource.manager, [[], [], undefined])).toEqual([]);
    const texts = Array.from({ length: 300 }, (_, i) => String(i).repeat(1_000));
    const rows = await VALUES.run(dataSource.manager, [texts, texts.map((_, i) => i), null]);
    expect(rows.map((row) => (row as { text: string }).text)).toEqual(texts);
  });

  it('leaves its connection usable when it fails', async () => {
    await expect(VALUES.run(dataSource.manager, [['a'], ['no number'], null])).rejects.toThrow('no number');
    expect(await VALUES.run(dataSource.manager, [['a'], [1], null])).toHaveLength(1);
  });

  it('reads the first rows of an index, and not all of them to sort them, however few PostgreSQL expects', async () => {
    await dataSource.query(`
      CREATE TABLE item (owner text, place integer, content text);
      ALTER TABLE item ALTER COLUMN owner SET STATISTICS 0;
      INSERT INTO item SELECT 'a', place, repeat('x', 100) FROM generate_series(1, 20000) AS place;
      CREATE INDEX ON item (owner, place);
      ANALYZE item;`);
    const columns = { place: numberColumn('item.place::float8'), content: textColumn('item.content') };
    const first = new CopyStatement<{ place: number }>(
      columns,
      `SELECT ${selectList(columns)} FROM item WHERE item.owner = $1 AND item.place > $2 ORDER BY item.place LIMIT $3`,
      { inIndexOrder: true },
    );
    const fetched = async () => {
      await dataSource.query('SELECT pg_stat_force_next_flush()');
      const [{ rows }] = await dataSource.query<[{ rows: string }]>(
        `SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS rows FROM pg_stat_user_tables WHERE relname = 'item'`,
      );
      return Number(rows);
    };
    const before = await fetched();
    expect((await first.run(dataSource.manager, ['a', 5, 3])).map(({ place }) => place)).toEqual([6, 7, 8]);
    expect((await fetched()) - before).toBeLessThan(10);
  });
});
