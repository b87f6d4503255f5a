import { Injectable } from '@nestjs/common';
import { DependencyUnavailableError } from '@cxp/storage';
import type { PoolClient } from 'pg';
import Cursor from 'pg-cursor';
import { RESPONSE_COLUMNS, type ResponseWindow } from '../responses/response-window';
import type { SurveyResponse } from '../responses/survey-response';
import { ExportPool } from './export-pool';

/** What an export is to hold. */
export interface ExportRange {
  readonly window: ResponseWindow;
  /** The most responses. */
  readonly limit: number;
  /** Only what changed after the change of this number, in the order of changes. */
  readonly after: number | undefined;
}

/** An export under way, over a connection of its own. */
export interface ExportedResponses {
  /** How many responses the window holds. */
  readonly total: number;
  /** Whether the limit leaves some out. */
  readonly truncated: boolean;
  /** The number of the last change that is exported, when the export begins after one. */
  readonly lastChange: number | undefined;
  readonly responses: AsyncIterable<SurveyResponse>;
  /** Gives the connection back; a query that has not come to its end is ended with it. May be called more than once. */
  readonly close: () => void;
}

/** Rows that are fetched, and held, at a time. */
const BATCH_ROWS = 100;

/** Reads all responses of a window through a cursor, as fast as they are taken. */
@Injectable()
export class ExportedResponseReadModel {
  constructor(private readonly pool: ExportPool) {}

  /** Counts and reads in one snapshot: what is said about the export is true of it. */
  async open(range: ExportRange): Promise<ExportedResponses> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      const total = await count(client, range);
      const { lastChange, truncated } =
        range.after === undefined
          ? { lastChange: undefined, truncated: total > range.limit }
          : await findLastChange(client, range);
      return { total, truncated, lastChange, ...(await read(client, range)) };
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}

async function count(client: PoolClient, { window }: ExportRange): Promise<number> {
  const { rows } = await client.query<{ total: number }>(
    `SELECT coalesce(sum(responses), 0)::int AS total
     FROM survey.response_block
     WHERE organization_id = $1 AND campaign_id = $2 AND starts_at >= $3 AND starts_at < $4`,
    windowParameters(window),
  );
  return rows[0]!.total;
}

async function findLastChange(
  client: PoolClient,
  { window, limit, after }: ExportRange,
): Promise<{ lastChange: number; truncated: boolean }> {
  const { rows } = await client.query<{ lastChange: number; truncated: boolean }>(
    `SELECT coalesce(max(change) FILTER (WHERE place <= $6), $5)::float8 AS "lastChange", count(*) > $6 AS truncated
     FROM (
       SELECT change, row_number() OVER (ORDER BY change) AS place
       FROM survey.response
       WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at >= $3 AND earliest_at < $4 AND change > $5
       ORDER BY change
       LIMIT $6 + 1
     ) AS changed`,
    [...windowParameters(window), after, limit],
  );
  return rows[0]!;
}

/** Resolves when the first rows are there: what goes wrong until then can still be told. */
async function read(
  client: PoolClient,
  { window, limit, after }: ExportRange,
): Promise<Pick<ExportedResponses, 'responses' | 'close'>> {
  const order = after === undefined ? 'earliest_at, identifier' : 'change';
  const cursor = client.query(
    new Cursor<SurveyResponse>(
      `SELECT ${RESPONSE_COLUMNS}
       FROM survey.response
       WHERE organization_id = $1 AND campaign_id = $2 AND earliest_at >= $3 AND earliest_at < $4
         AND ($6::bigint IS NULL OR change > $6)
       ORDER BY ${order}
       LIMIT $5`,
      [...windowParameters(window), limit, after ?? null],
    ),
  );
  // A cursor whose connection is lost may never answer. (A race with one promise for all reads would keep what they read.)
  let isLost = false;
  let failRead = () => {};
  const lose = () => {
    isLost = true;
    failRead();
  };
  client.once('error', lose).once('end', lose);
  const readBatch = () =>
    new Promise<SurveyResponse[]>((resolve, reject) => {
      failRead = () => reject(new DependencyUnavailableError('Connection terminated'));
      if (isLost) failRead();
      else cursor.read(BATCH_ROWS).then(resolve, reject);
    });
  const first = await readBatch();
  let state: 'reading' | 'read' | 'closed' = 'reading';
  async function* responses(): AsyncGenerator<SurveyResponse> {
    let batch = first;
    yield* batch;
    while (batch.length === BATCH_ROWS) {
      batch = await readBatch();
      yield* batch;
    }
    state = 'read';
  }
  const close = () => {
    if (state === 'closed') return;
    client.off('error', lose).off('end', lose);
    const reusable = state === 'read';
    state = 'closed';
    if (!reusable) return client.release(true);
    client.query('COMMIT').then(
      () => client.release(),
      () => client.release(true),
    );
  };
  return { responses: responses(), close };
}

function windowParameters({ organizationId, campaignId, from, before }: ResponseWindow): unknown[] {
  return [organizationId, campaignId, from, before];
}
