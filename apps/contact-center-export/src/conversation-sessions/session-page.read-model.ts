import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { PreparedStatement } from '@cxp/storage';
import { COUNT_COLUMNS, type EndReason } from './session-count.repository';
import { countedRanges } from './counted-ranges';
import type { RowPosition } from './row-cursor';
import type { StoredRow } from './row-presenter';
import type { SessionFilter } from './session-filter';
import { type Scope, pageStatement } from './session-page.statement';

export interface SessionPage {
  /** Of all pages. */
  readonly total: number;
  /** Of the organization's schedule; null when it has none. */
  readonly scheduleVersion: string | null;
  /** The first ones, if all are too large to be read at once. */
  readonly rows: PageRow[];
}

export type PageRow = StoredRow & RowPosition;

type Found = Omit<SessionPage, 'rows'> & (PageRow | { readonly document: null });

/** Planning one would take several times as long as running it. */
const PAGE_STATEMENTS: Readonly<Record<Scope, PreparedStatement<Found>>> = {
  everything: preparedPage('everything'),
  end_reasons: preparedPage('end_reasons'),
  agents: preparedPage('agents'),
};

const END_REASONS = Object.keys(COUNT_COLUMNS) as EndReason[];

/** The statement counts in 32 bits; a page further on is past the end. */
const MAX_ROWS = 2_000_000_000;

@Injectable()
export class SessionPageReadModel {
  constructor(private readonly manager: EntityManager) {}

  /** So many rows from a place in the order, which is found by counts: the last page costs what the first does. */
  async find(
    organizationId: string,
    filter: SessionFilter,
    offset: number,
    limit: number,
  ): Promise<SessionPage> {
    const endReasons: readonly EndReason[] = filter.endReasons ?? END_REASONS;
    const ranges = countedRanges(filter.startsAt, filter.endsAt);
    const rows = await PAGE_STATEMENTS[scopeOf(filter)].run(this.manager, [
      organizationId,
      filter.agentEmails,
      filter.accountIds,
      endReasons,
      ranges.map(({ hours }) => hours),
      ranges.map(({ startsAt }) => new Date(startsAt)),
      ranges.map(({ endsAt }) => new Date(endsAt)),
      Math.min(offset, MAX_ROWS),
      limit,
    ]);
    const { total, scheduleVersion } = rows[0]!;
    return {
      total,
      scheduleVersion,
      rows: rows.filter((row): row is Found & PageRow => row.document !== null),
    };
  }
}

function preparedPage(scope: Scope): PreparedStatement<Found> {
  return new PreparedStatement(`session_page_${scope}`, pageStatement(scope));
}

function scopeOf({ agentEmails, accountIds, endReasons }: SessionFilter): Scope {
  if (agentEmails ?? accountIds) return 'agents';
  return endReasons ? 'end_reasons' : 'everything';
}
