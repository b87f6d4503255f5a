import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import {
  ChangeRepository,
  DIGEST_OF_DAY,
  DIGEST_PARAMETERS,
  digestsOfDays,
  digestValues,
  hexDigest,
  rowDigest,
  isWholeBuckets,
} from '@cxp/change-feed';
import { inTransaction, Statement, DAY_MS } from '@cxp/storage';
import { HumanScheduleRepository, type Timezone } from '../business-hours';
import { contactCenterDatabase } from '../database';
import type { Instant } from '../instant';
import { SESSION_LIST, SESSIONS } from './stored-row';

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
}

const ONE_SNAPSHOT = 'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ';

const STATEMENTS = {
  buckets: new Statement(DIGEST_PARAMETERS, DIGEST_OF_DAY, (list) =>
    digestsOfDays(SESSIONS, list, 'buckets'),
  ),
  rows: new Statement(DIGEST_PARAMETERS, DIGEST_OF_DAY, (list) => digestsOfDays(SESSIONS, list, 'rows')),
};

@Injectable()
export class ConversationSessionDigestReadModel {
  constructor(private readonly manager: EntityManager) {}

  async ofDays(
    organizationId: string,
    { timezone, ...window }: Window,
  ): Promise<{ change: number; schedule: string | null; items: DigestOfDay[] }> {
    const offsets = await timezone.dayOffsets(window.startsAt, window.endsAt);
    const isWhole = isWholeBuckets(window.startsAt, window.endsAt, ...offsets.map(({ offset }) => offset));
    const values = digestValues(organizationId, SESSION_LIST, window, offsets);
    return inTransaction(this.manager.dataSource, organizationId, [ONE_SNAPSHOT], async (manager) => {
      const days = await STATEMENTS[isWhole ? 'buckets' : 'rows'].run(manager, values);
      const items = days.map(({ day, rows, digest }) => ({
        date: new Date(day * DAY_MS).toISOString().slice(0, 10),
        rows,
        digest: hexDigest(BigInt(digest)),
      }));
      const changes = new ChangeRepository(manager, contactCenterDatabase.schema);
      const stored = await new HumanScheduleRepository(manager).find(organizationId);
      // Of its content: a schedule that is set back is the same.
      const schedule =
        stored && hexDigest(rowDigest({ weekly: stored.weekly, exceptions: stored.exceptions }));
      return { change: await changes.last(organizationId), schedule, items };
    });
  }
}
