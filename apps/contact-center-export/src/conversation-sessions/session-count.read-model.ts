import type { EntityManager } from 'typeorm';
import type { Instant } from '../business-hours';
import type { SessionEndReason } from '../derivation';
import { COUNT_COLUMNS, EVERYONE } from '../projection/session-count.repository';
import { countedSpans, shorterStretches, type CountedSpan, type Span } from './counted-stretches';

/** Whose rows are asked for: a filter that is undefined lets every row through. */
export interface RowFilter extends Span {
  readonly agentIds?: readonly number[];
  readonly endReasons?: readonly SessionEndReason[];
}

/** How many rows a stretch of time holds. */
interface Stretch {
  readonly hours: CountedSpan['hours'];
  readonly from: Instant;
  readonly until: Instant;
  readonly rows: number;
}

/** Where the rows of a page stand: in a span, after some that are passed over. */
export interface PagePlace extends Span {
  readonly skip: number;
}

const HOUR_MS = 60 * 60 * 1000;

/** Totals and places from the counts that the projection keeps, whatever the length of the window. */
export class SessionCountReadModel {
  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
    private readonly filter: RowFilter,
  ) {}

  async total(): Promise<number> {
    return sumOf(await this.count(countedSpans(this.filter)));
  }

  /** @returns the total, and where `limit` rows from `offset` on stand; no place when there are none */
  async place(offset: number, limit: number): Promise<{ total: number; place: PagePlace | undefined }> {
    const stretches = await this.count(countedSpans(this.filter));
    const total = sumOf(stretches);
    if (offset >= total) return { total, place: undefined };
    const [first, last] = await this.narrow(stretches, [offset, Math.min(offset + limit, total) - 1]);
    return { total, place: { from: first!.from, until: last!.until, skip: first!.skip } };
  }

  /** Finds the shortest stretches that hold the rows of these numbers. */
  private async narrow(stretches: readonly Stretch[], numbers: readonly number[]): Promise<PagePlace[]> {
    let found = numbers.map((number) => holding(stretches, number));
    while (found.some(({ hours }) => hours > 1)) {
      const longest = Math.max(...found.map(({ hours }) => hours));
      const parted = found.filter(({ hours }) => hours === longest).map(shorterStretches);
      const parts = await this.count(uniqueSpans(parted));
      found = found.map((place) => {
        if (place.hours !== longest) return place;
        const within = parts.filter(({ from, until }) => from >= place.from && until <= place.until);
        return holding(within, place.skip);
      });
    }
    return found;
  }

  /** The rows of each counted stretch in the spans, and of each edge, in order of time. */
  private async count(spans: readonly CountedSpan[]): Promise<Stretch[]> {
    const { agentIds = [EVERYONE], endReasons } = this.filter;
    const columns = (endReasons ?? (Object.keys(COUNT_COLUMNS) as SessionEndReason[])).map(
      (reason) => COUNT_COLUMNS[reason],
    );
    const parameters = new Parameters([this.organizationId]);
    const whole = spans.filter(({ hours }) => hours > 0);
    const counted = `
      SELECT count.hours, count.starts_at, sum(${columns.join(' + ')})::float8 AS rows
      FROM unnest(
        ${parameters.add(whole.map(({ hours }) => hours))}::smallint[],
        ${parameters.add(whole.map(({ from }) => iso(from)))}::timestamptz[],
        ${parameters.add(whole.map(({ until }) => iso(until)))}::timestamptz[]
      ) AS span (hours, starts_at, ends_at)
      JOIN contact_center.session_count AS count
        ON count.organization_id = $1 AND count.agent_id = ANY (${parameters.add(agentIds)}::integer[])
        AND count.hours = span.hours AND count.starts_at >= span.starts_at AND count.starts_at < span.ends_at
      GROUP BY count.hours, count.starts_at`;
    const edges = spans
      .filter(({ hours }) => hours === 0)
      .map(
        (edge) => `
      SELECT 0, ${parameters.add(iso(edge.from))}::timestamptz, count(*)::float8
      FROM contact_center.conversation_session AS row
      WHERE ${rowConditions(parameters, { ...this.filter, ...edge })}`,
      );
    const found: { hours: CountedSpan['hours']; from: Instant; rows: number }[] = await this.manager.query(
      `SELECT hours, ${milliseconds('starts_at')} AS from, rows
       FROM (${[counted, ...edges].join(' UNION ALL ')}) AS stretch ORDER BY starts_at`,
      parameters.values,
    );
    const edgeEnds = new Map(spans.filter(({ hours }) => hours === 0).map((edge) => [edge.from, edge.until]));
    return found.map((stretch) => ({
      ...stretch,
      until: stretch.hours === 0 ? edgeEnds.get(stretch.from)! : stretch.from + stretch.hours * HOUR_MS,
    }));
  }
}

/** Collects the values of a statement's parameters; the first one is the organization. */
export class Parameters {
  constructor(readonly values: unknown[]) {}

  /** @returns the parameter's name in the statement */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** The conditions on `conversation_session AS row` that a filter makes; $1 is the organization. */
export function rowConditions(parameters: Parameters, filter: RowFilter): string {
  const conditions = [
    'row.organization_id = $1',
    `row.conversation_updated_at >= ${parameters.add(iso(filter.from))}`,
    `row.conversation_updated_at < ${parameters.add(iso(filter.until))}`,
  ];
  if (filter.agentIds) conditions.push(`row.agent_id = ANY (${parameters.add(filter.agentIds)}::integer[])`);
  if (filter.endReasons)
    conditions.push(`row.session_end_reason = ANY (${parameters.add(filter.endReasons)})`);
  return conditions.join(' AND ');
}

/** A column's time in milliseconds since 1970. */
export function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}

export function iso(instant: Instant): string {
  return new Date(instant).toISOString();
}

function sumOf(stretches: readonly Stretch[]): number {
  return stretches.reduce((sum, { rows }) => sum + rows, 0);
}

function holding(stretches: readonly Stretch[], number: number): Stretch & PagePlace {
  let before = 0;
  for (const stretch of stretches) {
    if (number < before + stretch.rows) return { ...stretch, skip: number - before };
    before += stretch.rows;
  }
  throw new Error('the counts of a stretch and of its parts differ');
}

function uniqueSpans(spans: readonly CountedSpan[]): CountedSpan[] {
  return [...new Map(spans.map((span) => [span.from, span])).values()];
}
