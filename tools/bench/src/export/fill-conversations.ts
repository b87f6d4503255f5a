import type { DataSource } from 'typeorm';
import { YEAR } from './generated-conversations';

const YEAR_MS = YEAR.days * 24 * 60 * 60 * 1000;
/** Above the ids of tickets and the arrivals that the intake assigned. */
const ID_STRIDE = 1_000_000;
const GOLDEN_RATIO = 0.618034;

type Overrides = Readonly<Record<string, string>>;

/** A conversation of copy k. Ids of one moment are spread over their index, as random ids are. */
const id = (column: string) => `'c' || copy.k || substr(original.${column}, ${'conversation-'.length})`;
const times = (...columns: string[]): Overrides =>
  Object.fromEntries(columns.map((column) => [column, `original.${column} + copy.shift`]));
const number = (column: string) => `original.${column} + copy.k::bigint * ${ID_STRIDE}`;
const ofConversation = { conversation_id: id('conversation_id') };

/** What a copy has in place of the original's columns. Tables that take long are first. */
const TABLES: Readonly<Record<string, Overrides>> = {
  activity: { id: id('id'), ...ofConversation, ...times('occurred_at'), arrival: number('arrival') },
  conversation_session: {
    ...ofConversation,
    ...times(
      'conversation_updated_at',
      'bot_handoff_at',
      'first_agent_assigned_at',
      'first_agent_message_at',
      'conversation_resolved_at',
    ),
    ticket_id: `CASE WHEN original.ticket_id < 0 THEN original.ticket_id ELSE ${number('ticket_id')} END`,
    document: `replace(original.document::text, original.conversation_id, ${id('conversation_id')})::json`,
    // In the order of time, as the rows are stored.
    change: '(original.change - 1) * copy.count + copy.number',
    digest: 'original.digest # copy.k::bigint',
  },
  message: { id: id('id'), ...ofConversation, ...times('sent_at') },
  conversation: { id: id('id'), ...times('created_at', 'updated_at', 'closed_at') },
  ticket: {
    id: number('id'),
    ...ofConversation,
    ...times('created_at', 'updated_at', 'due_date', 'assigned_at', 'resolved_at'),
  },
  conversation_survey: {
    id: id('id'),
    ...ofConversation,
    ...times('submitted_at'),
    arrival: number('arrival'),
  },
};

/** Rows that the intake stores where a benchmark fills in copies of them. */
export const ORIGINALS = 10_000;

/** Keeps the rows of one organization, all that there are, as the originals of copies. */
export async function keepOriginals(dataSource: DataSource): Promise<void> {
  await dataSource.query('CREATE SCHEMA originals');
  for (const table of Object.keys(TABLES)) {
    await dataSource.query(`CREATE TABLE originals.${table} AS TABLE contact_center.${table}`);
  }
}

/**
 * Replaces all rows by so many copies of the originals, spread evenly over the time between two of them: rows, counts and feed as if the
 * intake had stored them, but for the digests, which are others, and for the times and ids of tickets within documents.
 */
export async function fillWithCopies(dataSource: DataSource, count: number): Promise<void> {
  const [{ rows }] = await dataSource.query<[{ rows: number }]>(
    'SELECT count(*)::int AS rows FROM originals.conversation_session',
  );
  const copies = `
    SELECT k, k + 1 AS number, ${count} AS count,
      (k * ${GOLDEN_RATIO}) % 1 * interval '${YEAR_MS / rows} milliseconds' AS shift
    FROM generate_series(0, ${count - 1}) AS k ORDER BY shift`;
  const tables = Object.entries(TABLES);
  // PostgreSQL uses one processor for each: two at once.
  await Promise.all(
    [1, 2].map(async () => {
      for (let next = tables.shift(); next; next = tables.shift()) {
        await copyRows(dataSource, copies, ...next);
      }
    }),
  );
  await countSessions(dataSource);
  await dataSource.query('CHECKPOINT');
}

/** In the order of time, as an intake would; without indexes meanwhile: they are built ten times as fast afterwards. */
async function copyRows(
  dataSource: DataSource,
  copies: string,
  table: string,
  overrides: Overrides,
): Promise<void> {
  const indexes = await indexesOf(dataSource, table);
  for (const { drop } of indexes) await dataSource.query(drop);
  const columns = await dataSource.query<{ name: string }[]>(
    `SELECT quote_ident(attname) AS name FROM pg_attribute
     WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [`contact_center.${table}`],
  );
  const values = columns.map(({ name }) => overrides[name] ?? `original.${name}`);
  // A table that is truncated in the same transaction writes no log.
  await dataSource.transaction(async (manager) => {
    await manager.query(`TRUNCATE contact_center.${table}`);
    await manager.query(
      `INSERT INTO contact_center.${table} (${columns.map(({ name }) => name).join(', ')}) OVERRIDING SYSTEM VALUE
       WITH copy AS MATERIALIZED (${copies})
       SELECT ${values.join(', ')} FROM originals.${table} AS original CROSS JOIN LATERAL (
         SELECT * FROM copy WHERE original.organization_id <> '' OFFSET 0
       ) AS copy`,
    );
  });
  await dataSource.query(`VACUUM (ANALYZE) contact_center.${table}`);
  for (const { create } of indexes) await dataSource.query(create);
}

/** Those of constraints last, to be dropped and created in this order. */
async function indexesOf(dataSource: DataSource, table: string): Promise<{ drop: string; create: string }[]> {
  return dataSource.query(
    `SELECT
       coalesce(
         'ALTER TABLE contact_center.${table} DROP CONSTRAINT ' || conname,
         'DROP INDEX ' || indexrelid::regclass
       ) AS drop,
       coalesce(
         'ALTER TABLE contact_center.${table} ADD CONSTRAINT ' || conname || ' ' || pg_get_constraintdef(constraint_of.oid),
         pg_get_indexdef(indexrelid)
       ) AS create
     FROM pg_index LEFT JOIN pg_constraint AS constraint_of ON conindid = indexrelid
     WHERE indrelid = $1::regclass ORDER BY conname NULLS FIRST`,
    [`contact_center.${table}`],
  );
}

/** The counts of all rows, from one scan of them, and the last number of the feed. */
async function countSessions(dataSource: DataSource): Promise<void> {
  const reasons = {
    handoff_to_ai: 'handoff_to_ai',
    terminal: 'terminal',
    replaced_by_other_handoff: 'replaced_by_other_handoff',
    service_account_takeover: 'service_account_takeover',
    open_at_end: 'open_at_end',
    without_session: '',
  };
  const sums = Object.entries(reasons).map(
    ([column, reason]) =>
      `coalesce(sum(rows) FILTER (WHERE session_end_reason = '${reason}'), 0) AS ${column}`,
  );
  await dataSource.transaction(async (manager) => {
    await manager.query(`SET LOCAL work_mem = '512MB'`);
    await manager.query(`
      CREATE TABLE originals.counted AS
      SELECT organization_id, agent_id, session_end_reason, date_bin('1 hour', conversation_updated_at, 'epoch') AS hour,
        count(*) AS rows, bit_xor(digest) AS digest, max(change) AS last_change
      FROM contact_center.conversation_session GROUP BY 1, 2, 3, 4`);
  });
  await dataSource.query('TRUNCATE contact_center.session_count');
  for (const agent of ['0', 'agent_id']) {
    for (const hours of [1, 24, 768]) {
      const holdsDigests = agent === '0' && hours === 1;
      await dataSource.query(`
        INSERT INTO contact_center.session_count (
          organization_id, agent_id, hours, starts_at, ${Object.keys(reasons).join(', ')}, digest, last_change
        )
        SELECT organization_id, ${agent} AS agent, ${hours}, date_bin('${hours} hours', hour, 'epoch') AS starts,
          ${sums.join(', ')}, ${holdsDigests ? 'bit_xor(digest), max(last_change)' : '0, NULL'}
        FROM originals.counted GROUP BY organization_id, agent, starts`);
    }
  }
  await dataSource.query('DROP TABLE originals.counted');
  await dataSource.query(
    'UPDATE contact_center.change_feed SET last = (SELECT max(change) FROM contact_center.conversation_session)',
  );
  await dataSource.query('VACUUM (ANALYZE) contact_center.session_count');
}
