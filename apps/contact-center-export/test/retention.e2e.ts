import { RetentionJob } from '@cxp/records';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { conversation } from './builders/conversation-of-person';
import { type ChangePage, listChanges } from './change-follower';
import { EVER, importRecords, listSessions, startContactCenter } from './contact-center-service';

const DAYS = 30;
const ago = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
let keeping: TestService;
beforeAll(async () => {
  keeping = await startContactCenter({ CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS: String(DAYS) });
});
afterAll(() => keeping.stop());

const aged = (id: string, ticketId: number, updatedAt: string, more: { createdAt?: string } = {}) =>
  conversation(id, ticketId).map((each) => {
    const { type, data } = each as { type: string; data: object };
    return type === 'conversation' ? { type, data: { ...data, updatedAt, ...more } } : { type, data };
  });
const idsOf = async (from: Caller) =>
  (
    (await listSessions(keeping, from, { ...EVER }).expect(200)).body as {
      items: { conversationId: string }[];
    }
  ).items.map(({ conversationId }) => conversationId);

it('removes conversations that were not updated for so long, with all that belongs to them', async () => {
  const own = await keeping.caller();
  const other = await keeping.caller();
  for (const each of [own, other]) {
    await importRecords(keeping, each, [
      ...aged('c-1', 1, ago(DAYS - 1)),
      ...aged('c-2', 2, ago(DAYS - 1)),
      // A wrong clock must not keep it.
      ...aged('c-3', 3, ago(DAYS - 2), { createdAt: '2099-01-01T00:00:00.000Z' }),
    ]).expect(200);
  }
  const { body: before } = await listChanges(keeping, own, {}).expect(200);
  // Time passes: an import that says it is older would be ignored.
  for (const [id, days] of [
    ['c-1', 2],
    ['c-3', 4],
  ] as const) {
    await keeping.dataSource.query(
      `UPDATE contact_center.record SET at = at - interval '1 day' * $3, created_at = created_at - interval '1 day' * $3
       WHERE organization_id = $1 AND type = 'conversation' AND id = $2`,
      [own.organizationId, id, days],
    );
  }
  await keeping.app.get(RetentionJob).removeExpired();
  expect(await idsOf(own)).toEqual(['c-2']);
  expect((await idsOf(other)).sort()).toEqual(['c-1', 'c-2', 'c-3']);
  const { body } = await listChanges(keeping, own, { cursor: (before as ChangePage).nextCursor }).expect(200);
  expect(
    (body as ChangePage).items.map(({ op, key, reason }) => [op, key!.conversationId, reason]).sort(),
  ).toEqual([
    ['delete', 'c-1', 'expired'],
    ['delete', 'c-3', 'expired'],
  ]);
  expect(
    await keeping.dataSource.query(
      'SELECT DISTINCT conversation_id FROM contact_center.record WHERE organization_id = $1',
      [own.organizationId],
    ),
  ).toEqual([{ conversation_id: 'c-2' }]);
});

it('what belongs to a conversation that does not arrive expires, a day after it has arrived at the earliest', async () => {
  const own = await keeping.caller();
  const [root, ...parts] = aged('c-1', 1, ago(DAYS - 1));
  const expired = (parts as { type: keyof typeof TIMES; data: object }[]).map(({ type, data }) => ({
    type,
    data: { ...data, [TIMES[type]]: ago(DAYS + 1) },
  }));
  const left = async () =>
    (
      await keeping.dataSource.query<object[]>(
        'SELECT FROM contact_center.record WHERE organization_id = $1',
        [own.organizationId],
      )
    ).length;
  const aDayPasses = () =>
    keeping.dataSource.query(
      `UPDATE contact_center.record SET stored_at = now() - interval '25 hours' WHERE organization_id = $1`,
      [own.organizationId],
    );
  const retention = keeping.app.get(RetentionJob);
  for (const arrives of [false, true]) {
    for (const part of expired) await importRecords(keeping, own, [part]).expect(200);
    await retention.removeExpired();
    if (arrives) await importRecords(keeping, own, [root!]).expect(200);
    await aDayPasses();
    await retention.removeExpired();
    expect(await left()).toBe(arrives ? 5 : 0);
  }
});

const TIMES = {
  activity: 'occurredAt',
  message: 'sentAt',
  ticket: 'updatedAt',
  conversation_survey: 'submittedAt',
};
