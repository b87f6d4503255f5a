import { ChangeFeedMaintenance } from '@cxp/change-feed';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import { ChangeFollower, type ChangePage, listChanges, listEverything, shortened } from './change-follower';
import { importRecords, startContactCenter } from './contact-center-service';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

const conversation = (id: string) => [
  record.conversation({ id }),
  record.activity({ id: `of ${id}`, conversationId: id, agent: { accountId: 1, email: 'ann@example.com' } }),
];

async function store(...records: object[]): Promise<void> {
  await importRecords(service, caller, records).expect(200);
}

describe('what the previous release writes', () => {
  /** As that release does it: it deletes and copies, and knows neither numbers nor digests. */
  async function rewriteAsBefore(conversationId: string, document?: string): Promise<void> {
    await service.dataSource.transaction(async (manager) => {
      await manager.query(
        `CREATE TEMPORARY TABLE kept ON COMMIT DROP AS
         SELECT organization_id, conversation_updated_at, conversation_id, session_index, ticket_id, agent_id,
           session_end_reason, bot_handoff_at, first_agent_assigned_at, first_agent_message_at,
           conversation_resolved_at, document
         FROM contact_center.conversation_session WHERE organization_id = $1 AND conversation_id = $2`,
        [caller.organizationId, conversationId],
      );
      await manager.query(
        'DELETE FROM contact_center.conversation_session WHERE organization_id = $1 AND conversation_id = $2',
        [caller.organizationId, conversationId],
      );
      if (document === undefined) return;
      await manager.query(
        `INSERT INTO contact_center.conversation_session (
           organization_id, conversation_updated_at, conversation_id, session_index, ticket_id, agent_id,
           session_end_reason, bot_handoff_at, first_agent_assigned_at, first_agent_message_at,
           conversation_resolved_at, document)
         SELECT organization_id, conversation_updated_at, conversation_id, session_index, ticket_id, agent_id,
           session_end_reason, bot_handoff_at, first_agent_assigned_at, first_agent_message_at,
           conversation_resolved_at, $1::json
         FROM kept`,
        [document],
      );
    });
  }

  it('is numbered before anybody reads it: rows, removals and schedules', async () => {
    await store(...['a', 'b', 'c'].flatMap(conversation));
    const follower = new ChangeFollower(service, caller);
    await follower.follow();
    await rewriteAsBefore('a', '{}');
    // The previous release removes the records, too.
    await service.dataSource.query(
      `DELETE FROM contact_center.activity WHERE organization_id = $1 AND conversation_id = 'b'`,
      [caller.organizationId],
    );
    await rewriteAsBefore('b');
    const { body } = await listChanges(service, caller, { cursor: follower.cursor! }).expect(200);
    expect(shortened(body as ChangePage).sort()).toEqual([
      ['delete', 'b 0 null'],
      ['upsert', 'a 0 null'],
    ]);
    await follower.follow();
    expect(follower.rows()).toHaveLength(2);
    expect(follower.rows()).toEqual(await listEverything(service, caller));

    await service.dataSource.query(
      `INSERT INTO contact_center.human_schedule VALUES ($1, gen_random_uuid(), '[]', '[]')`,
      [caller.organizationId],
    );
    const page = (await listChanges(service, caller, { cursor: follower.cursor! }).expect(200))
      .body as ChangePage;
    expect(shortened(page)).toEqual([['resync', 'human_schedule']]);
  });

  it('is numbered by the job when nobody reads it', async () => {
    await store(...conversation('a'));
    await rewriteAsBefore('a', '{}');
    await service.app.get(ChangeFeedMaintenance).prune(new Date(0));
    const unnumbered = await service.dataSource.query(
      'SELECT FROM contact_center.conversation_session WHERE change IS NULL OR digest IS NULL',
    );
    expect(unnumbered).toEqual([]);
  });
});
