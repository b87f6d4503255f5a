import { createTestDatabase } from '@cxp/testing';
import { DataSource } from 'typeorm';
import {
  booleanColumn,
  byteaColumn,
  jsonColumn,
  nullable,
  numberColumn,
  textColumn,
  textsColumn,
  timeColumn,
  utf8Column,
} from './columns';
import { Statement, type StatementMode } from './statement';

const DOUBLE = new Statement(
  {
    doubled: numberColumn('$1::int * 2'),
    transaction: nullable(textColumn('pg_current_xact_id_if_assigned()')),
  },
  (list) => `SELECT ${list}`,
  'prepared',
);

const VALUES = new Statement(
  {
    text: textColumn('value.text'),
    bytes: utf8Column('value.text'),
    number: numberColumn('value.number'),
    isGreat: booleanColumn('value.number > 1'),
  },
  (list) => `SELECT ${list} FROM unnest($1::text[], $2::bigint[]) AS value (text, number)
   WHERE $3::text IS NULL OR value.text = $3`,
  'copied',
);

describe('Statement', () => {
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

  const TIME = '2026-01-05T02:41:30.125Z';
  it.each<[StatementMode]>([['planned'], ['prepared'], ['copied'], ['copied in index order']])(
    'reads every type of column alike when it is %s',
    async (mode) => {
      const statement = new Statement(
        {
          small: numberColumn('7::smallint'),
          large: numberColumn(`${2 ** 53}::bigint`),
          exact: numberColumn('0.1::numeric'),
          digits: textColumn('9223372036854775807::bigint'),
          text: textColumn(`'Nguyễn 😀'`),
          yes: booleanColumn('true'),
          no: booleanColumn('false'),
          time: timeColumn(`'${TIME}'::timestamptz`),
          early: timeColumn(`'1969-12-31T23:59:59.5Z'::timestamptz`),
          bytea: byteaColumn(`'\\x00ff'::bytea`),
          json: jsonColumn<object>(`'{"a":[1,null]}'::json`),
          jsonb: jsonColumn<object>(`'{"a":[1,null]}'::jsonb`),
          none: nullable(numberColumn('NULL')),
          nothing: nullable(jsonColumn('NULL')),
        },
        (list) => `SELECT ${list}`,
        mode,
      );
      expect(await statement.run(dataSource.manager, [])).toEqual([
        {
          small: 7,
          large: 2 ** 53,
          exact: 0.1,
          digits: '9223372036854775807',
          text: 'Nguyễn 😀',
          yes: true,
          no: false,
          time: new Date(TIME),
          early: new Date(-500),
          bytea: Buffer.from([0, 255]),
          json: { a: [1, null] },
          jsonb: { a: [1, null] },
          none: null,
          nothing: null,
        },
      ]);
    },
  );

  it('reads lists of texts, unless it is copied', async () => {
    const columns = { texts: textsColumn(`ARRAY['a', 'b,c']`) };
    const read = (mode: StatementMode) =>
      new Statement(columns, (list) => `SELECT ${list}`, mode).first(dataSource.manager, []);
    expect(await read('planned')).toEqual({ texts: ['a', 'b,c'] });
    await expect(read('copied')).rejects.toThrow('a list is not read');
  });

  it('is prepared once for each connection, which it gives back', async () => {
    for (const [value, doubled] of [
      [1, 2],
      [21, 42],
      [-5, -10],
    ]) {
      expect(await DOUBLE.run(dataSource.manager, [value])).toMatchObject([{ doubled }]);
    }
    const prepared = await dataSource.query(
      'SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement = $1',
      [DOUBLE.text],
    );
    expect(prepared).toEqual([{ runs: '3' }]);
  });

  it('runs in the transaction of its manager', async () => {
    await dataSource.transaction(async (manager) => {
      const [{ id }] = await manager.query('SELECT pg_current_xact_id()::text AS id');
      expect(await DOUBLE.run(manager, [1])).toEqual([{ doubled: 2, transaction: id }]);
    });
  });

  it('tells how many rows it has written', async () => {
    await dataSource.query('CREATE TABLE counted AS SELECT generate_series(1, 5) AS id');
    const remove = new Statement({}, 'DELETE FROM counted WHERE id <= $1');
    expect(await remove.count(dataSource.manager, [3])).toBe(3);
    expect(await remove.count(dataSource.manager, [3])).toBe(0);
    const first = new Statement(
      { id: numberColumn('id') },
      (list) => `SELECT ${list} FROM counted ORDER BY id`,
    );
    expect(await first.first(dataSource.manager, [])).toEqual({ id: 4 });
  });

  it('fails with the error of PostgreSQL, and gives its connection back', async () => {
    await expect(DOUBLE.run(dataSource.manager, ['x'])).rejects.toMatchObject({ code: '22P02' });
    expect(await DOUBLE.run(dataSource.manager, [4])).toMatchObject([{ doubled: 8 }]);
  });

  describe('copied', () => {
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

    it.each<[string, string, StatementMode]>([
      ['jit', 'off', 'copied in index order'],
      ['enable_sort', 'off', 'copied in index order'],
      ['enable_sort', 'on', 'copied'],
    ])('runs with %s = %s if %s', async (setting, value, mode) => {
      const columns = { value: textColumn(`current_setting('${setting}')`) };
      const statement = new Statement(columns, (list) => `SELECT ${list}`, mode);
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
      expect(rows.map(({ text }) => text)).toEqual(texts);
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
      const columns = { place: numberColumn('item.place'), content: textColumn('item.content') };
      const first = new Statement(
        columns,
        (list) =>
          `SELECT ${list} FROM item WHERE item.owner = $1 AND item.place > $2 ORDER BY item.place LIMIT $3`,
        'copied in index order',
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
});
