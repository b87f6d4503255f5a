import { createTestDatabase } from '@cxp/testing';
import type { DataSource } from 'typeorm';
import {
  booleanColumn,
  byteaColumn,
  jsonColumn,
  nullable,
  numberColumn,
  textColumn,
  textsColumn,
  timeColumn,
  UnscopedStatement,
  type StatementMode,
} from './statement';
import { LimitedDataSource } from './limited-data-source';

const DOUBLE = new UnscopedStatement(
  { value: 'integer' },
  {
    doubled: numberColumn('$value * 2'),
    transaction: nullable(textColumn('pg_current_xact_id_if_assigned()')),
  },
  (list) => `SELECT ${list}`,
  'prepared',
);

describe('Statement', () => {
  let dataSource: DataSource;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    const options = { type: 'postgres', url: database.url, poolSize: 1 } as const;
    dataSource = await new LimitedDataSource(options, 1_500).initialize();
  });
  afterAll(async () => {
    await dataSource.destroy();
    await drop();
  });

  const TIME = '2026-01-05T02:41:30.125Z';
  it.each<[StatementMode]>([['planned'], ['prepared'], ['in index order']])(
    'reads every type of column alike when it is %s',
    async (mode) => {
      const statement = new UnscopedStatement(
        {},
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
          texts: textsColumn(`ARRAY['a', 'b,c']`),
        },
        (list) => `SELECT ${list}`,
        mode,
      );
      expect(await statement.run(dataSource.manager, {})).toEqual([
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
          texts: ['a', 'b,c'],
        },
      ]);
    },
  );

  it('is prepared once for each connection, which it gives back', async () => {
    for (const [value, doubled] of [
      [1, 2],
      [21, 42],
      [-5, -10],
    ] as const) {
      expect(await DOUBLE.run(dataSource.manager, { value })).toMatchObject([{ doubled }]);
    }
    const prepared = await dataSource.query(
      'SELECT generic_plans + custom_plans AS runs FROM pg_prepared_statements WHERE statement = $1',
      [DOUBLE.text],
    );
    expect(prepared).toEqual([{ runs: '3' }]);
  });

  it('has exactly the parameters that its SQL names', () => {
    const sql = 'SELECT 1 LIMIT $limit OFFSET $offset';
    expect(() => new UnscopedStatement({ limit: 'integer' }, {}, sql)).toThrow(
      'the statement does not declare its parameter $offset',
    );
    const types = { limit: 'integer', offset: 'integer', bytes: 'integer', name: 'text' } as const;
    expect(() => new UnscopedStatement(types, {}, sql)).toThrow('the statement does not use $bytes, $name');
  });

  it('names its values, in any order, each of its type', async () => {
    const statement = new UnscopedStatement(
      { limit: 'integer', names: 'text[]', after: 'text | null' },
      { name: textColumn('name') },
      (list) => `SELECT ${list} FROM unnest($names) AS name WHERE name > coalesce($after, '') LIMIT $limit`,
    );
    const { manager } = dataSource;
    expect(await statement.run(manager, { names: ['a', 'b', 'c'], after: 'a', limit: 1 })).toEqual([
      { name: 'b' },
    ]);
    expect(await statement.count(manager, { after: null, names: ['a', 'b', 'c'], limit: 2 })).toBe(2);
    // @ts-expect-error: the values of two are exchanged.
    await expect(statement.run(manager, { names: 'a', after: ['b'], limit: 1 })).rejects.toThrow();
    // @ts-expect-error: one is missing.
    await expect(statement.run(manager, { names: ['a'], after: null })).resolves.toHaveLength(1);
  });

  it('runs in the transaction of its manager', async () => {
    await dataSource.transaction(async (manager) => {
      const [{ id }] = await manager.query('SELECT pg_current_xact_id()::text AS id');
      expect(await DOUBLE.run(manager, { value: 1 })).toEqual([{ doubled: 2, transaction: id }]);
    });
  });

  it('answers how many rows it has written', async () => {
    await dataSource.query('CREATE TABLE counted AS SELECT generate_series(1, 5) AS id');
    const remove = new UnscopedStatement({ last: 'integer' }, {}, 'DELETE FROM counted WHERE id <= $last');
    expect(await remove.count(dataSource.manager, { last: 3 })).toBe(3);
    expect(await remove.count(dataSource.manager, { last: 3 })).toBe(0);
    const first = new UnscopedStatement(
      {},
      { id: numberColumn('id') },
      (list) => `SELECT ${list} FROM counted ORDER BY id`,
    );
    expect(await first.first(dataSource.manager, {})).toEqual({ id: 4 });
  });

  it('fails with the error of PostgreSQL, and gives its connection back', async () => {
    await expect(DOUBLE.run(dataSource.manager, { value: 1.5 })).rejects.toMatchObject({ code: '22P02' });
    expect(await DOUBLE.run(dataSource.manager, { value: 4 })).toMatchObject([{ doubled: 8 }]);
  });

  it('fails if its connection is lost, and the next one connects again', async () => {
    const end = new UnscopedStatement({}, {}, 'SELECT pg_terminate_backend(pg_backend_pid())');
    await expect(end.run(dataSource.manager, {})).rejects.toMatchObject({ code: '57P01' });
    expect(await DOUBLE.run(dataSource.manager, { value: 4 })).toMatchObject([{ doubled: 8 }]);
  });

  it('runs without sorting and without compilation if it is in index order', async () => {
    const columns = {
      jit: textColumn(`current_setting('jit')`),
      sort: textColumn(`current_setting('enable_sort')`),
    };
    const statement = new UnscopedStatement({}, columns, (list) => `SELECT ${list}`, 'in index order');
    expect(await statement.run(dataSource.manager, {})).toEqual([{ jit: 'off', sort: 'off' }]);
  });

  it('reads the first rows of an index, and not all of them to sort them, however few PostgreSQL expects', async () => {
    await dataSource.query(`
    CREATE TABLE item (owner text, place integer, content text);
    ALTER TABLE item ALTER COLUMN owner SET STATISTICS 0;
    INSERT INTO item SELECT 'a', place, repeat('x', 100) FROM generate_series(1, 20000) AS place;
    CREATE INDEX ON item (owner, place);
    ANALYZE item;`);
    const columns = { place: numberColumn('item.place'), content: textColumn('item.content') };
    const first = new UnscopedStatement(
      { owner: 'text', after: 'integer', limit: 'integer' },
      columns,
      (list) =>
        `SELECT ${list} FROM item WHERE item.owner = $owner AND item.place > $after ORDER BY item.place LIMIT $limit`,
      'in index order',
    );
    const fetched = async () => {
      await dataSource.query('SELECT pg_stat_force_next_flush()');
      const [{ rows }] = await dataSource.query<[{ rows: string }]>(
        `SELECT coalesce(idx_tup_fetch, 0) + seq_tup_read AS rows FROM pg_stat_user_tables WHERE relname = 'item'`,
      );
      return Number(rows);
    };
    const before = await fetched();
    expect(
      (await first.run(dataSource.manager, { owner: 'a', after: 5, limit: 3 })).map(({ place }) => place),
    ).toEqual([6, 7, 8]);
    expect((await fetched()) - before).toBeLessThan(10);
  });
});
