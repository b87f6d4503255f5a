import { randomUUID } from 'node:crypto';
import type request from 'supertest';
import { eventually } from '@cxp/service-kit/testing';
import { storedRows } from '@cxp/testing';
import { AN, conversation, HOA, MARKER } from './builders/conversation-of-person';
import { record, removal } from './builders/platform-records';
import { conversationNotFound, useContactCenter } from './contact-center-service';

/** Of one conversation. */
const FOUND = { conversations: 1, activities: 1, messages: 1, tickets: 1, conversationSurveys: 1 };
const SUBJECT = { userIds: [HOA.filumId], phones: [HOA.phone], emails: [HOA.email] };

const area = useContactCenter();
beforeEach(() => area.newOrganization());

function erase(body: object, from = area.caller): request.Test {
  return area.call('post', '/external/erasures', from).send(body);
}

function certificateOf(id: string, from = area.caller): request.Test {
  return area.call('get', `/external/erasures/${id}`, from);
}

/** Begins an erasure and waits for its end. */
async function erased(subject: object = SUBJECT, from = area.caller) {
  const id = randomUUID();
  await erase({ id, subject }, from).expect(200);
  await eventually(async () => (await certificateOf(id, from)).body.erasedAt !== null);
  return (await certificateOf(id, from).expect(200)).body;
}

/** The database as a backup from before it brings it back. */
async function loseRecords({ organizationId } = area.caller): Promise<void> {
  for (const table of ['erasure', 'erased_key', 'record']) {
    await area.service.dataSource.query(`DELETE FROM contact_center.${table} WHERE organization_id = $1`, [
      organizationId,
    ]);
  }
}

async function rows(by = area.caller) {
  return (await area.page({}, by)).items;
}

/** Rows with the marker, in any table and column, that are not of other organizations. */
async function marked(): Promise<string[]> {
  const { organizationId } = area.caller;
  const rows = await storedRows(area.service.dataSource, 'contact_center');
  const own = rows.filter((row) => row.includes(organizationId) || !row.includes('org-'));
  return own.filter((row) => row.toLowerCase().includes(MARKER.toLowerCase()));
}

describe('an erasure', () => {
  it('finds the conversations of a person by any identifier, and erases them', async () => {
    const by = [
      { filumId: HOA.filumId },
      { phone: '+84901234567' },
      { phone: '\u2068+84 90\u200b 1234567\u2069' },
      { email: ` HOA.${MARKER}@Example.com` },
    ];
    for (const [place, customer] of by.entries()) {
      const own = await area.service.caller();
      await area.store(
        [...conversation('c-1', place, customer), ...conversation('c-2', place + 100, AN)],
        own,
      );
      const certificate = await erased(SUBJECT, own);
      expect(certificate).toMatchObject({
        area: 'contact-center',
        found: FOUND,
      });
      expect((await rows(own)).map(({ conversationId }) => conversationId)).toEqual(['c-2']);
    }
  });

  it('is reported by the feed: rows that are gone were erased, and lastChange has been read', async () => {
    await area.store([...conversation('c-1', 1), ...conversation('c-2', 2, AN)]);
    const before = await area.changes();
    const { lastChange } = await erased();
    const { items } = await area.changes({ cursor: before.nextCursor });
    expect(items).toEqual([
      {
        op: 'delete',
        change: lastChange,
        key: { conversationId: 'c-1', sessionIndex: 0, ticketId: 1 },
        reason: 'erased',
      },
    ]);
    await area.get('c-1').expect(404, conversationNotFound('c-1'));
  });

  it.each<[string, object[], () => Promise<unknown>]>([
    ['by its person', [removal('activity', 'a of c-1'), removal('ticket', 1)], () => erased()],
    [
      'by the platform',
      [removal('conversation', 'c-1')],
      () => area.store([removal('conversation', 'c-1', { reason: 'erased' })]),
    ],
  ])('is reported by the feed for rows that were removed before, too: %s', async (_, removals, eraseIt) => {
    await area.store([...conversation('c-1', 1), ...conversation('c-10', 2, AN)]);
    await area.store([...removals, removal('conversation', 'c-10')]);
    const before = await area.changes();
    await eraseIt();
    const { items } = await area.changes({ cursor: before.nextCursor });
    const key = { conversationId: 'c-1', sessionIndex: 0, ticketId: 1 };
    expect(items).toEqual([{ op: 'delete', change: expect.any(Number), key, reason: 'erased' }]);
  });

  it('only counts in a dry run', async () => {
    await area.store(conversation('c-1', 1));
    const { body } = await erase({ subject: SUBJECT, dryRun: true }).expect(200);
    expect(body).toMatchObject({ id: null, erasedAt: null, found: FOUND });
    expect(await rows()).toHaveLength(1);
  });

  it('leaves other organizations alone, and its certificate is its own', async () => {
    const other = await area.service.caller();
    for (const each of [area.caller, other]) await area.store(conversation('c-1', 1), each);
    const { id } = await erased();
    expect(await rows(other)).toHaveLength(1);
    await certificateOf(id, other).expect(404, {
      detail: { message: `Erasure with id ${id} was not found` },
    });
  });
});

describe('a certificate', () => {
  it('answers the same after the platform has removed what it erased', async () => {
    await area.store(conversation('c-1', 1));
    const certificate = await erased();
    await area.store([removal('conversation', 'c-1', { reason: 'erased' })]);
    await certificateOf(certificate.id).expect(200, certificate);
  });
});

describe('what was erased', () => {
  it('does not come back with later records', async () => {
    await area.store(conversation('c-1', 1));
    expect(await marked()).not.toEqual([]);
    await erased();
    await area.store(conversation('c-1', 1).map((each) => newer(each)));
    await area.store([newer(record.ticket({ id: 1, conversationId: 'c-9', subject: MARKER }))]);
    await area.store([
      ...conversation('c-9', 9, AN).slice(0, 3),
      ...conversation('c-1', 3).slice(3),
      removal('conversation', 'c-1', { updatedAt: '2026-03-01T00:00:00.000Z' }),
      ...conversation('c-1', 4),
    ]);
    expect((await rows()).map(({ conversationId }) => conversationId)).not.toContain('c-1');
    expect(await marked()).toEqual([]);
  });

  it('a newer ticket that names an erased conversation moves and is erased', async () => {
    const ticket = (conversationId: string, minute: number, text: string) =>
      record.ticket({
        ...{ id: 7, conversationId, subject: text, assigneeAccountId: 1 },
        updatedAt: `2026-01-05T00:${minute}:00.000Z`,
      });
    await area.store([
      ...conversation('c-1', 1),
      ...conversation('c-2', 2, AN).slice(0, 3),
      ticket('c-2', 20, 'Refund'),
    ]);
    await erased();
    const before = await area.changes();
    await area.store([ticket('c-1', 21, MARKER)]);
    await area.store([ticket('c-2', 22, MARKER)]);
    expect((await rows()).map(({ ticketId }) => ticketId)).not.toContain(7);
    expect(await marked()).toEqual([]);
    const { items } = await area.changes({ cursor: before.nextCursor });
    expect(items).toContainEqual(
      expect.objectContaining({
        ...{ op: 'delete', reason: 'erased' },
        key: { conversationId: 'c-2', sessionIndex: 0, ticketId: 7 },
      }),
    );
  });

  it('is erased once more by the same request after a backup was restored', async () => {
    await area.store(conversation('c-1', 1));
    const { id, ...certificate } = await erased();
    await loseRecords();
    await area.store([...conversation('c-1', 2), ...conversation('c-2', 3, AN).slice(0, 3)]);
    const { body } = await erase({ id, subject: SUBJECT }).expect(200);
    expect(body).toMatchObject({ id, found: certificate.found, erasedAt: expect.any(String) });
    expect(await marked()).toEqual([]);
    expect((await rows()).map(({ conversationId }) => conversationId)).toEqual(['c-2']);
    await area.store(conversation('c-1', 4));
    expect(await marked()).toEqual([]);
  });

  it('is erased in steps, and counted by a dry run the same: no step counts a record of another', async () => {
    const records = Array.from({ length: 450 }, (_, n) => conversation(`c-${n}`, n)).flat();
    for (let start = 0; start < records.length; start += 1_000)
      await area.store(records.slice(start, start + 1_000));
    const { body } = await erase({ subject: SUBJECT, dryRun: true }).expect(200);
    const { found } = await erased();
    expect(found).toMatchObject({ conversations: 450, tickets: 450 });
    expect(body.found).toEqual(found);
    expect(await marked()).toEqual([]);
    expect(await rows()).toEqual([]);
  });
});

function newer(each: object): object {
  const { data, ...rest } = each as { data: object };
  return { ...rest, data: 'updatedAt' in data ? { ...data, updatedAt: '2026-02-01T00:00:00.000Z' } : data };
}
