import { RetentionJob } from '@cxp/records';
import { conversation } from './builders/conversation-of-person';
import { useContactCenter } from './contact-center-service';

const DAYS = 30;
const ago = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();

const area = useContactCenter({ CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS: String(DAYS) });
beforeEach(() => area.newOrganization());

const aged = (id: string, ticketId: number, updatedAt: string, more: { createdAt?: string } = {}) =>
  conversation(id, ticketId).map((each) => {
    const { type, data } = each as { type: string; data: object };
    return type === 'conversation' ? { type, data: { ...data, updatedAt, ...more } } : { type, data };
  });
const idsOf = async (by = area.caller) =>
  (await area.page({}, by)).items.map(({ conversationId }) => conversationId);

it('removes conversations that were not updated for so long, with all that belongs to them', async () => {
  const other = await area.service.caller();
  for (const by of [area.caller, other]) {
    await area.store(
      [
        ...aged('c-1', 1, ago(DAYS - 1)),
        ...aged('c-2', 2, ago(DAYS - 1)),
        // A wrong clock must not keep it.
        ...aged('c-3', 3, ago(DAYS - 2), { createdAt: '2099-01-01T00:00:00.000Z' }),
      ],
      by,
    );
  }
  const before = await area.changes();
  // Time passes: an import that says it is older would be ignored.
  for (const [id, days] of [
    ['c-1', 2],
    ['c-3', 4],
  ] as const) {
    await area.service.dataSource.query(
      `UPDATE contact_center.record SET at = at - interval '1 day' * $3, created_at = created_at - interval '1 day' * $3
       WHERE organization_id = $1 AND type = 'conversation' AND id = $2`,
      [area.caller.organizationId, id, days],
    );
  }
  await area.service.app.get(RetentionJob).removeExpired();
  expect(await idsOf()).toEqual(['c-2']);
  expect((await idsOf(other)).sort()).toEqual(['c-1', 'c-2', 'c-3']);
  const { items } = await area.changes({ cursor: before.nextCursor });
  expect(items.map(({ op, key, reason }) => [op, key!.conversationId, reason]).sort()).toEqual([
    ['delete', 'c-1', 'expired'],
    ['delete', 'c-3', 'expired'],
  ]);
  expect(
    await area.service.dataSource.query(
      'SELECT DISTINCT conversation_id FROM contact_center.record WHERE organization_id = $1',
      [area.caller.organizationId],
    ),
  ).toEqual([{ conversation_id: 'c-2' }]);
});

it('what belongs to a conversation that does not arrive expires, a day after it has arrived at the earliest', async () => {
  const [root, ...parts] = aged('c-1', 1, ago(DAYS - 1));
  const expired = (parts as { type: keyof typeof TIMES; data: object }[]).map(({ type, data }) => ({
    type,
    data: { ...data, [TIMES[type]]: ago(DAYS + 1) },
  }));
  const left = async () =>
    (
      await area.service.dataSource.query<object[]>(
        'SELECT FROM contact_center.record WHERE organization_id = $1',
        [area.caller.organizationId],
      )
    ).length;
  const aDayPasses = () =>
    area.service.dataSource.query(
      `UPDATE contact_center.record SET stored_at = now() - interval '25 hours' WHERE organization_id = $1`,
      [area.caller.organizationId],
    );
  const retention = area.service.app.get(RetentionJob);
  for (const arrives of [false, true]) {
    for (const part of expired) await area.store([part]);
    await retention.removeExpired();
    if (arrives) await area.store([root!]);
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
