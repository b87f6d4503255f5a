import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import { DataSource } from 'typeorm';
import type { Instant } from '../business-hours';
import type { SessionEndReason } from '../derivation';
import { COUNT_COLUMNS, type EndReason } from '../projection/session-count.repository';
import { countedRanges } from './counted-ranges';
import { type Scope, pageStatement } from './session-page.statement';

/** Which rows of an organization; what is not given filters nothing. */
export interface SessionFilter {
  /** Of the conversation's updatedAt. */
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
  readonly agentEmails?: readonly string[];
  readonly accountIds?: readonly number[];
  readonly endReasons?: readonly SessionEndReason[];
}

/** A row, but for what depends on the request's timezone. */
export interface StoredSession {
  /** The JSON object that is answered, without its business-hours metrics. */
  readonly document: string;
  readonly botHandoffAt: Instant | null;
  readonly firstAgentAssignedAt: Instant | null;
  readonly firstAgentMessageAt: Instant | null;
  readonly conversationResolvedAt: Instant | null;
}

export interface SessionPage {
  /** Of all pages. */
  readonly total: number;
  readonly sessions: StoredSession[];
}

interface FoundSession extends StoredSession {
  readonly total: number;
}

interface NothingFound {
  readonly total: number;
  readonly document: null;
}

const END_REASONS = Object.keys(COUNT_COLUMNS) as EndReason[];

@Injectable()
export class SessionPageReadModel {
  constructor(private readonly dataSource: DataSource) {}

  /** So many rows from a place in the order, which is found by counts: the last page costs what the first does. */
  async find(
    organizationId: string,
    filter: SessionFilter,
    offset: number,
    limit: number,
  ): Promise<SessionPage> {
    const endReasons: readonly EndReason[] = filter.endReasons ?? END_REASONS;
    const ranges = countedRanges(filter.startsAt, filter.endsAt);
    const rows = await this.run(scopeOf(filter), [
      organizationId,
      filter.agentEmails?.map((email) => email.toLowerCase()),
      filter.accountIds,
      endReasons,
      ranges.map(({ hours }) => hours),
      ranges.map(({ startsAt }) => new Date(startsAt)),
      ranges.map(({ endsAt }) => new Date(endsAt)),
      offset,
      limit,
    ]);
    return {
      total: rows[0]!.total,
      sessions: rows.filter((row): row is FoundSession => row.document !== null),
    };
  }

  /** Prepared, once per connection: planning it would take several times as long as running it. */
  private async run(scope: Scope, values: unknown[]): Promise<(FoundSession | NothingFound)[]> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as Client;
      const { rows } = await client.query<FoundSession | NothingFound>({
        name: `session_page_${scope}`,
        text: pageStatement(scope),
        values,
      });
      return rows;
    } finally {
      await runner.release();
    }
  }
}

function scopeOf({ agentEmails, accountIds, endReasons }: SessionFilter): Scope {
  if (agentEmails ?? accountIds) return 'agents';
  return endReasons ? 'end_reasons' : 'everything';
}
