import { Retention } from '@cxp/erasure';
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

const aged = (id: string, ticketId: number, updatedAt: string) =>
  conversation(id, ticketId).map((each) => {
    const { type, data } = each as { type: string; data: object };
    return type === 'conversation' ? { type, data: { ...data, updatedAt } } : { type, data };
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
      ...aged('c-3', 3, ago(DAYS - 2)),
    ]).expect(200);
  }
  const { body: before } = await listChanges(keeping, own, {}).expect(200);
  // Time passes: an import that says it is older would be ignored.
  for (const [id, days] of [
    ['c-1', DAYS + 1],
    ['c-3', DAYS + 2],
  ] as const) {
    await keeping.dataSource.query(
      `UPDATE contact_center.record SET at = $3 WHERE organization_id = $1 AND type = 'conversation' AND id = $2`,
      [own.organizationId, id, ago(days)],
    );
  }
  await keeping.app.get(Retention).removeExpired();
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

it('removes the emails of agents with the last conversation of each', async () => {
  const own = await keeping.caller();
  const assigned = (id: string, email: string) => [
    { type: 'conversation', data: { id, createdAt: ago(DAYS + 2), updatedAt: ago(DAYS - 1) } },
    {
      type: 'activity',
      data: {
        id: `${id}-a`,
        conversationId: id,
        action: 'assign',
        occurredAt: ago(DAYS - 1),
        agent: { email },
      },
    },
  ];
  await importRecords(keeping, own, [
    ...assigned('c-1', 'left@acme.example'),
    ...assigned('c-2', 'ann@acme.example'),
    ...assigned('c-3', 'ann@acme.example'),
  ]).expect(200);
  await keeping.dataSource.query(
    `UPDATE contact_center.record SET at = $2 WHERE organization_id = $1 AND type = 'conversation' AND id IN ('c-1', 'c-2')`,
    [own.organizationId, ago(DAYS + 1)],
  );
  await keeping.app.get(Retention).removeExpired();
  expect(
    await keeping.dataSource.query(
      'SELECT agent_email AS email FROM contact_center.conversation_session WHERE organization_id = $1',
      [own.organizationId],
    ),
  ).toEqual([{ email: 'ann@acme.example' }]);
  expect(await idsOf(own)).toEqual(['c-3']);
});

it('ignores a conversation that has expired when it arrives', async () => {
  const own = await keeping.caller();
  await importRecords(keeping, own, [
    ...aged('c-1', 1, ago(DAYS + 1)),
    ...aged('c-2', 2, ago(DAYS - 1)),
  ]).expect(200);
  expect(await idsOf(own)).toEqual(['c-2']);
});

describe('what belongs to a conversation that is not stored', () => {
  const TIMES = {
    activity: 'occurredAt',
    message: 'sentAt',
    ticket: 'updatedAt',
    conversation_survey: 'submittedAt',
  };
  let own: Caller;
  beforeEach(async () => {
    own = await keeping.caller();
  });

  /** A conversation and what belongs to it, all of the same time. */
  const ofTime = (updatedAt: string) => {
    const [root, ...parts] = aged('c-1', 1, updatedAt);
    return {
      root: root!,
      parts: (parts as { type: keyof typeof TIMES; data: object }[]).map(({ type, data }) => ({
        type,
        data: { ...data, [TIMES[type]]: updatedAt },
      })),
    };
  };
  const send = (...records: readonly object[]) => importRecords(keeping, own, records).expect(200);
  const { root: expiredRoot, parts: expiredParts } = ofTime(ago(DAYS + 1));
  const { root, parts } = ofTime(ago(DAYS - 1));

  async function expire(): Promise<void> {
    await keeping.app.get(Retention).removeExpired();
  }

  async function aDayPasses(): Promise<void> {
    await keeping.dataSource.query(
      `UPDATE contact_center.record SET stored_at = now() - interval '25 hours'
       WHERE organization_id = $1`,
      [own.organizationId],
    );
  }

  /** How many records are left in all, and conversations that are waited for. */
  async function left(): Promise<number> {
    const found = await keeping.dataSource.query<object[]>(
      'SELECT FROM contact_center.record WHERE organization_id = $1',
      [own.organizationId],
    );
    return found.length;
  }

  it.each<[string, readonly (readonly object[])[]]>([
    ['with an expired conversation', [[expiredRoot, ...expiredParts]]],
    ['before an expired conversation', [expiredParts, [expiredRoot]]],
    ['after an expired conversation', [[expiredRoot], expiredParts]],
    ['without a conversation, one after the other', expiredParts.map((part) => [part])],
    ...expiredParts.map((part): [string, object[][]] => [
      `without a conversation: only a ${part.type}`,
      [[part]],
    ]),
  ])('expires if it arrives %s', async (_, transactions) => {
    for (const records of transactions) await send(...records);
    await aDayPasses();
    await expire();
    expect(await left()).toBe(0);
  });

  it('expires if it arrives after its conversation has expired', async () => {
    await send(root, ...parts);
    await keeping.dataSource.query(
      `UPDATE contact_center.record SET at = $2 WHERE organization_id = $1 AND type = 'conversation'`,
      [own.organizationId, ago(DAYS + 1)],
    );
    await expire();
    expect(await left()).toBe(0);
    await send(...expiredParts);
    await aDayPasses();
    await expire();
    expect(await left()).toBe(0);
  });

  it('is kept for as long as the latest of it, and as a conversation that arrives', async () => {
    await send(...parts.slice(0, 1), ...expiredParts.slice(1));
    await aDayPasses();
    await expire();
    expect(await left()).toBe(5);
    await send(root);
    await expire();
    expect(await left()).toBe(5);
    expect(await idsOf(own)).toEqual(['c-1', 'c-1']);
  });

  it('is kept for a day if it has expired when it arrives, in case that its conversation has not', async () => {
    await send(...expiredParts);
    await expire();
    await send(root);
    await aDayPasses();
    await expire();
    expect(await left()).toBe(5);
    expect(await idsOf(own)).toEqual(['c-1', 'c-1']);
  });

  it('is waited for no more when its conversation is removed', async () => {
    await send(...parts);
    await send({ type: 'conversation', op: 'delete', data: { id: 'c-1' } });
    expect(await left()).toBe(0);
  });
});
