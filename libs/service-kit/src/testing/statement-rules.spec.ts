import { loadModule } from 'libpg-query';
import { statementProblems, statementsOfFunction } from './statement-rules';

const CATALOG = {
  tables: new Set(['area.apple', 'area.pear']),
  identities: new Set(['area.apple']),
  volatilities: new Map([
    ['clock_timestamp', 'v'],
    ['now', 's'],
    ['to_json', 's'],
    ['lower', 'i'],
  ] as const),
};

const MISSING = 'area.apple: no organization_id = $n';

beforeAll(() => loadModule());

describe('statementProblems', () => {
  it.each([
    'SELECT id FROM area.apple WHERE organization_id = $1',
    'SELECT id FROM area.apple AS a WHERE $1::text = a.organization_id AND id > $2',
    `SELECT id FROM area.apple WHERE organization_id = $1 COLLATE "C" AND (id = $2 OR id = $3)`,
    'SELECT id FROM area.apple WHERE (organization_id, id) = ($1, $2)',
    'SELECT area.apple.id FROM area.apple WHERE area.apple.organization_id = $1',
    'SELECT 1 FROM area.apple AS a JOIN area.pear AS p ON p.organization_id = a.organization_id WHERE a.organization_id = $1',
    'SELECT 1 FROM area.apple LEFT JOIN area.pear USING (organization_id, id) WHERE area.apple.organization_id = $1',
    'SELECT 1 FROM area.apple AS a JOIN LATERAL (SELECT FROM area.pear AS p WHERE p.organization_id = a.organization_id) AS q ON true WHERE a.organization_id = $1',
    'WITH a AS (SELECT id FROM area.apple WHERE organization_id = $1) SELECT * FROM a WHERE NOT EXISTS (SELECT FROM area.pear WHERE organization_id = $1 AND id = a.id)',
    'SELECT 1 FROM area.apple WHERE organization_id = $1 UNION ALL SELECT 2 FROM area.pear WHERE organization_id = $1',
    'SELECT 1 FROM area.other, apple',
    'INSERT INTO area.apple (id, organization_id) VALUES ($2, $1), ($3, $1) ON CONFLICT (organization_id, id) DO UPDATE SET at = now(), name = lower(excluded.name)',
    'INSERT INTO area.pear (organization_id) SELECT $1 UNION ALL SELECT $1',
    'INSERT INTO area.apple (organization_id, id) SELECT $1, id FROM unnest($2::int[]) AS new (id)',
    'UPDATE area.apple AS a SET at = now() FROM area.pear AS p WHERE a.organization_id = $1 AND p.organization_id = $1 AND a.id = p.id',
    'DELETE FROM area.apple WHERE organization_id = $1 AND id IN (SELECT id FROM area.pear WHERE organization_id = $1)',
    'DELETE FROM area.apple WHERE organization_id = $1 AND ctid = ANY (ARRAY(SELECT ctid FROM area.apple WHERE organization_id = $1 LIMIT 9))',
    'SELECT 1 FROM unnest($2) AS wanted (id) JOIN area.apple ON apple.organization_id = $1 AND apple.id = wanted.id',
    'UPDATE area.epoch SET at = clock_timestamp()',
    'COPY area.apple (organization_id, id) FROM STDIN',
    `COPY (SELECT id FROM area.apple WHERE organization_id = 'o') TO STDOUT (FORMAT binary)`,
    `SELECT set_config('lock_timeout', '1s', true)`,
    'START TRANSACTION; SET LOCAL lock_timeout = 100',
  ])('accepts %s', (text) => {
    expect(statementProblems(text, CATALOG)).toEqual([]);
  });

  it.each([
    ['SELECT id FROM area.apple', [MISSING]],
    ['SELECT id FROM area.apple WHERE organization_id = ANY ($1)', [MISSING]],
    ['SELECT id FROM area.apple WHERE organization_id = (SELECT $1)', [MISSING]],
    ['SELECT id FROM area.apple WHERE organization_id = $1 OR id = $2', [MISSING]],
    ['SELECT 1 WHERE EXISTS (SELECT FROM area.apple WHERE id = $1)', [MISSING]],
    [
      'SELECT 1 FROM area.apple AS a JOIN area.pear AS p ON p.id = a.id WHERE a.organization_id = $1',
      ['area.pear (p): no organization_id = $n'],
    ],
    [
      'WITH a AS (SELECT $1 AS organization_id) SELECT 1 FROM a JOIN area.apple USING (organization_id)',
      [MISSING],
    ],
    [
      'WITH gone AS (DELETE FROM area.apple RETURNING id) DELETE FROM area.pear WHERE organization_id = $1',
      [MISSING],
    ],
    ['UPDATE area.apple SET id = 1 WHERE id = $1', [MISSING]],
    [`COPY (SELECT id FROM area.apple) TO STDOUT`, [MISSING]],
    ['INSERT INTO area.apple (id) VALUES ($1)', ['area.apple: INSERT without organization_id']],
    ['COPY area.apple (id) FROM STDIN', ['area.apple: INSERT without organization_id']],
    [
      'INSERT INTO area.apple (organization_id) VALUES ((SELECT $1))',
      ['area.apple: the organization of an INSERT is in a sub-select'],
    ],
    [
      'INSERT INTO area.apple (organization_id, id) SELECT $1, 1 UNION ALL SELECT $1, id FROM area.pear WHERE organization_id = $1',
      ['area.apple: numbers for a set operation need a right on its sequence'],
    ],
    [
      'WITH a AS (INSERT INTO area.pear (organization_id) VALUES ($1)) DELETE FROM area.apple WHERE organization_id = $1 AND ctid = ANY ($2)',
      ['ctid, in a statement that runs in steps'],
    ],
    [
      'SELECT 1 FROM area.apple WHERE organization_id = $1 AND xmin = $2',
      ['xmin is another one on each shard'],
    ],
    [`SELECT set_config('area.changes', '1', true)`, ['set_config of area.changes: no worker has it']],
    [
      'UPDATE area.apple SET at = clock_timestamp() WHERE organization_id = $1',
      ['clock_timestamp() is volatile, in what an UPDATE or DELETE computes'],
    ],
    [
      'INSERT INTO area.apple (organization_id) VALUES ($1) ON CONFLICT (organization_id) DO UPDATE SET at = clock_timestamp()',
      ['clock_timestamp() is volatile, in what an UPDATE or DELETE computes'],
    ],
    [
      'UPDATE area.apple SET at = COALESCE(now(), at) WHERE organization_id = $1',
      ['now() is chosen by CASE or COALESCE, in what an UPDATE or DELETE computes'],
    ],
    [
      'UPDATE area.apple SET name = to_json(name) WHERE organization_id = $1',
      ['to_json() is given a column, in what an UPDATE or DELETE computes'],
    ],
  ])('refuses %s', (text, problems) => {
    expect(statementProblems(text, CATALOG)).toEqual(problems);
  });
});

describe('statementsOfFunction', () => {
  it('has each statement of a function, and no expression', () => {
    const definition = `CREATE FUNCTION area.eat(organization_id text) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
      DECLARE one record; found_id bigint := 1;
      BEGIN
        INSERT INTO area.apple (organization_id) VALUES ($1) RETURNING id INTO found_id;
        IF found_id > 1 THEN
          FOR one IN SELECT id FROM area.pear WHERE organization_id = $1 LOOP
            found_id := one.id;
            RETURN QUERY SELECT id FROM area.apple;
          END LOOP;
        END IF;
      END $$`;
    const statements = statementsOfFunction(definition);
    expect(statements).toEqual([
      'INSERT INTO area.apple (organization_id) VALUES ($1) RETURNING id',
      'SELECT id FROM area.apple',
      'SELECT id FROM area.pear WHERE organization_id = $1',
    ]);
    expect(statements.map((text) => statementProblems(text, CATALOG))).toEqual([[], [MISSING], []]);
  });
});
