import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { violates } from '@cxp/storage';
import { NEXT_CHANGE } from '../conversations/next-change';
import { CLOSING_ACTIONS, OPENING_ACTIONS, type Activity, type NewActivity } from './activity';

/** What came of storing an activity: `known` when it, or one with its id, was stored before. */
export type Recorded =
  | { readonly outcome: 'stored' | 'known'; readonly activity: Activity }
  | { readonly outcome: 'no_conversation' | 'id_taken' };

interface ActivityRow extends Omit<Activity, 'occurredAt'> {
  readonly occurredAt: Date;
}

const COLUMNS = 'id, action, occurred_at AS "occurredAt", agent';

@Injectable()
export class ActivityRepository {
  constructor(private readonly dataSource: DataSource) {}

  /** Stores an activity together with its conversation's change and the event that tells of both. */
  async record(
    organizationId: string,
    conversationId: string,
    { id, action, occurredAt, agent }: NewActivity,
  ): Promise<Recorded> {
    try {
      const [row]: ActivityRow[] = await this.dataSource.query(
        `WITH conversation AS (
           UPDATE webchat.conversation
           SET updated_at = ${NEXT_CHANGE},
               closed_at = CASE
                 WHEN $4 = ANY ($7::text[]) THEN coalesce($5, ${NEXT_CHANGE})
                 WHEN $4 = ANY ($8::text[]) THEN NULL
                 ELSE closed_at END
           WHERE organization_id = $1 AND id = $2
           RETURNING organization_id, id, updated_at
         ), activity AS (
           INSERT INTO webchat.activity (organization_id, id, conversation_id, action, occurred_at, agent)
           SELECT organization_id, $3, id, $4, coalesce($5::timestamptz, updated_at), $6 FROM conversation
           RETURNING *
         ), event AS (
           INSERT INTO webchat.outbox (organization_id, conversation_id, activity_id)
           SELECT organization_id, conversation_id, id FROM activity
         )
         SELECT ${COLUMNS} FROM activity`,
        [
          organizationId,
          conversationId,
          id,
          action,
          occurredAt,
          agent && JSON.stringify(agent),
          CLOSING_ACTIONS,
          OPENING_ACTIONS,
        ],
      );
      return row ? { outcome: 'stored', activity: toActivity(row) } : { outcome: 'no_conversation' };
    } catch (error) {
      if (!violates(error, 'activity_id_unique')) throw error;
      const known = await this.find(organizationId, conversationId, id);
      return known ? { outcome: 'known', activity: known } : { outcome: 'id_taken' };
    }
  }

  private async find(
    organizationId: string,
    conversationId: string,
    id: string,
  ): Promise<Activity | undefined> {
    const [row]: ActivityRow[] = await this.dataSource.query(
      `SELECT ${COLUMNS} FROM webchat.activity
       WHERE organization_id = $1 AND id = $3 AND conversation_id = $2`,
      [organizationId, conversationId, id],
    );
    return row && toActivity(row);
  }
}

function toActivity(row: ActivityRow): Activity {
  return { ...row, occurredAt: row.occurredAt.toISOString() };
}
