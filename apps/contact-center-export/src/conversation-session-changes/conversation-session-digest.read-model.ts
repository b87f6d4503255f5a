import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { type InvalidItem, rejectAsInvalid } from '@cxp/error-envelopes';
import { ChangeRepository, hexDigest } from '@cxp/change-feed';
import { numberColumn, type RowOf, Statement, textColumn } from '@cxp/storage';
import { DAY_MS, type Day, type Instant, type Timezone } from '../business-hours';
import { contactCenterDatabase } from '../database';
import { milliseconds } from '../database/sql';
import { inTurns } from '../in-turns';
import { ALL_ROWS, ALL_GROUPS } from '../session-counts';

const HOUR_MS = 60 * 60 * 1000;

/** Hours with rows that an answer is made from: two years of hours, which take a quarter of a request's time on a busy machine. */
const MAX_DIGEST_HOURS = 2 * 366 * 24;

export const TOO_MANY_HOURS: InvalidItem = {
  loc: ['query', 'endDate'],
  msg: `a window must have at most ${MAX_DIGEST_HOURS.toLocaleString('en')} hours with rows`,
  type: 'too_large',
};

export interface Window {
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
  readonly timezone: Timezone;
}

interface DigestOfDay {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly rows: number;
  readonly digest: string;
  readonly lastChange: number;
}

/** A part of an hour that is on one day. */
interface Span {
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

/** Rows, digest and greatest change of an hour or a span. */
type Part = RowOf<typeof PART>;

const PART = {
  startsAt: numberColumn<Instant>(milliseconds('part.starts_at')),
  rows: numberColumn('part.rows'),
  digest: textColumn('part.digest'),
  lastChange: numberColumn('part.last_change'),
};

/** $1 organization, $2 start of the first hour, $3 end of the window. */
const HOURS = new Statement(
  PART,
  (list) => `SELECT ${list} FROM (
    SELECT starts_at, ${ALL_ROWS} AS rows, digest, coalesce(last_change, (
      SELECT max(change) FROM contact_center.conversation_session
      WHERE organization_id = $1
        AND conversation_updated_at >= count.starts_at
        AND conversation_updated_at < count.starts_at + interval '1 hour'
    )) AS last_change
    FROM contact_center.session_count AS count
    WHERE organization_id = $1 AND group_id = ${ALL_GROUPS} AND hours = 1 AND starts_at >= $2 AND starts_at < $3
    ORDER BY starts_at LIMIT ${MAX_DIGEST_HOURS + 1}
  ) AS part`,
);

/** $1 organization, $2 starts of spans, $3 ends. */
const SPANS = new Statement(
  PART,
  (list) => `SELECT ${list} FROM (
    SELECT span.starts_at, sum.*
    FROM unnest($2::timestamptz[], $3::timestamptz[]) AS span (starts_at, ends_at)
    CROSS JOIN LATERAL (
      SELECT count(*) AS rows, bit_xor(digest) AS digest, max(change) AS last_change
      FROM contact_center.conversation_session
      WHERE organization_id = $1
        AND conversation_updated_at >= span.starts_at AND conversation_updated_at < span.ends_at
    ) AS sum
    WHERE sum.rows > 0
  ) AS part`,
);

/** Adds up digests by day: from the counts by the hour and, where a day begins within an hour, from the rows of that hour. */
@Injectable()
export class ConversationSessionDigestReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** One snapshot. @throws ProblemError 422 if too many hours of the window hold rows */
  async ofDays(organizationId: string, window: Window): Promise<{ change: number; items: DigestOfDay[] }> {
    return this.manager.transaction('REPEATABLE READ', async (manager) => {
      const days = new Map<Day, { rows: number; digest: bigint; lastChange: number }>();
      for await (const part of inTurns(await this.parts(manager, organizationId, window))) {
        const day = window.timezone.dayAt(part.startsAt);
        const sum = days.get(day) ?? { rows: 0, digest: 0n, lastChange: 0 };
        sum.rows += part.rows;
        sum.digest ^= BigInt(part.digest);
        sum.lastChange = Math.max(sum.lastChange, part.lastChange);
        days.set(day, sum);
      }
      const items: DigestOfDay[] = [];
      for await (const [day, { rows, digest, lastChange }] of inTurns(days)) {
        const date = new Date(day * DAY_MS).toISOString().slice(0, 10);
        items.push({ date, rows, digest: hexDigest(digest), lastChange });
      }
      const changes = new ChangeRepository(manager, contactCenterDatabase.schema);
      return { change: await changes.last(organizationId), items };
    });
  }

  /** The hours of a window and, of those that are split, the spans, in order. */
  private async parts(manager: EntityManager, organizationId: string, window: Window): Promise<Part[]> {
    const parts: Part[] = [];
    const spans: Span[] = [];
    for await (const hour of inTurns(await this.hours(manager, organizationId, window))) {
      const ofHour = spansByDay(hour.startsAt, window);
      const isWhole = ofHour[0]!.endsAt - ofHour[0]!.startsAt === HOUR_MS;
      if (isWhole) parts.push(hour);
      else spans.push(...ofHour);
    }
    if (spans.length === 0) return parts;
    return [...parts, ...(await this.spans(manager, organizationId, spans))].sort(
      (one, other) => one.startsAt - other.startsAt,
    );
  }

  private async hours(
    manager: EntityManager,
    organizationId: string,
    { startsAt, endsAt }: Window,
  ): Promise<Part[]> {
    const hours = await HOURS.run(manager, [
      organizationId,
      new Date(Math.floor(startsAt / HOUR_MS) * HOUR_MS),
      new Date(endsAt),
    ]);
    if (hours.length > MAX_DIGEST_HOURS) rejectAsInvalid(TOO_MANY_HOURS);
    return hours;
  }

  /** Adds up the rows of some spans. */
  private async spans(
    manager: EntityManager,
    organizationId: string,
    spans: readonly Span[],
  ): Promise<Part[]> {
    return SPANS.run(manager, [
      organizationId,
      spans.map(({ startsAt }) => new Date(startsAt)),
      spans.map(({ endsAt }) => new Date(endsAt)),
    ]);
  }
}

/** The parts of an hour that are in the window, each on one day. */
function spansByDay(hour: Instant, window: Window): Span[] {
  const spans: Span[] = [];
  const end = Math.min(hour + HOUR_MS, window.endsAt);
  for (let startsAt = Math.max(hour, window.startsAt); startsAt < end; startsAt = spans.at(-1)!.endsAt) {
    const nextDay = window.timezone.startOf(window.timezone.dayAt(startsAt) + 1);
    spans.push({ startsAt, endsAt: Math.min(end, nextDay) });
  }
  return spans;
}
