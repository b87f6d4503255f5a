import { randomUUID } from 'node:crypto';
import request from 'supertest';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';
import { AN, conversation, HOA, MARKER } from './builders/conversation-of-person';
import { record } from './builders/platform-records';
import { type ChangePage, listChanges } from './change-follower';
import {
  conversationNotFound,
  EVER,
  getConversation,
  importRecords,
  listSessions,
  startContactCenter,
} from './contact-center-service';

const SUBJECT = { userIds: [HOA.filumId], phones: [HOA.phone], emails: [HOA.email] };

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
});
beforeEach(async () => {
  caller = await service.caller();
});
afterAll(() => service.stop());

function erase(body: object, from = caller): request.Test {
  return request(service.url).post('/external/erasures').set(from.headers).send(body);
}

function certificateOf(id: string, from = caller): request.Test {
  return request(service.url).get(`/external/erasures/${id}`).set(from.headers);
}

/** Begins an erasure and waits for its end. */
async function erased(mode: string, subject: object = SUBJECT, from = caller) {
  const id = randomUUID();
  await erase({ id, mode, subject }, from).expect(200);
  await eventually(async () => (await certificateOf(id, from)).body.erasedAt !== null);
  return (await certificateOf(id, from).expect(200)).body;
}

async function store(records: readonly object[], from = caller): Promise<void> {
  await importRecords(service, from, records).expect(200);
}

async function rows(from = caller): Promise<Record<string, unknown>[]> {
  const { body } = await listSessions(service, from, { ...EVER }).expect(200);
  return (body as { items: Record<string, unknown>[] }).items;
}

/** The tables of the area in which a text stands, in any column of the organization's rows. */
async function tablesWith(text: string, { organizationId } = caller): Promise<string[]> {
  const tables = await service.dataSource.query<{ name: string }[]>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = 'contact_center'::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const stored = await service.dataSource.query<{ readonly organization_id?: string }[]>(
      `SELECT * FROM contact_center.${name}`,
    );
    const own = stored.filter((row) => (row.organization_id ?? organizationId) === organizationId);
    if (JSON.stringify(own).toLowerCase().includes(text.toLowerCase())) found.push(name);
  }
  return found;
}

describe('an erasure', () => {
  it.each([
    ['delete', []],
    ['anonymize', ['c-1']],
  ])('finds the conversations of a person by any identifier, and erases them: %s', async (mode, left) => {
    const by = [{ filumId: HOA.filumId }, { phone: '+84901234567' }, { email: ` HOA.${MARKER}@Example.com` }];
    for (const [place, customer] of by.entries()) {
      const own = await service.caller();
      await store([...conversation('c-1', place, customer), ...conversation('c-2', place + 100, AN)], own);
      const certificate = await erased(mode, SUBJECT, own);
      expect(certificate).toMatchObject({
        area: 'contact-center',
        mode,
        found: { conversations: 1, activities: 1, messages: 1, tickets: 1, conversationSurveys: 1 },
      });
      expect((await rows(own)).map(({ conversationId }) => conversationId)).toEqual([...left, 'c-2']);
    }
  });

  it('is reported by the feed: rows that are gone were erased, and lastChange has been read', async () => {
    await store([...conversation('c-1', 1), ...conversation('c-2', 2, AN)]);
    const { body: before } = await listChanges(service, caller, {}).expect(200);
    const { lastChange } = await erased('delete');
    const { body } = await listChanges(service, caller, { cursor: (before as ChangePage).nextCursor }).expect(
      200,
    );
    const { items } = body as ChangePage;
    expect(items).toEqual([
      {
        op: 'delete',
        change: lastChange,
        key: { conversationId: 'c-1', sessionIndex: 0, ticketId: 1 },
        reason: 'erased',
      },
    ]);
    await getConversation(service, caller, 'c-1').expect(404, conversationNotFound('c-1'));
  });

  it('that anonymizes keeps times and figures', async () => {
    await store(conversation('c-1', 1));
    const [before] = await rows();
    await erased('anonymize');
    expect(await rows()).toEqual([
      {
        ...before,
        ...{ customerFilumId: '', customerName: '', customerPhone: '', customerEmail: '' },
        ...{ ticketSubject: '', ticketDescription: '', customFields: {}, feedback: '' },
      },
    ]);
  });

  it('that anonymizes does not fail for a conversation that has as much text as it may have', async () => {
    const ticket = (id: number, status: string) => record.ticket({ id, conversationId: 'c-1', status });
    const tickets: object[] = [];
    for (let left = 4 * 1024 * 1024; left > 0;) {
      const more = left - JSON.stringify(ticket(tickets.length, '').data).length;
      const status = 'x'.repeat(Math.min(60_000, more));
      left = more - status.length;
      tickets.push(ticket(tickets.length, status));
    }
    await store([record.conversation({ id: 'c-1', customer: HOA }), ...tickets]);
    const { body } = await erase({ subject: SUBJECT, mode: 'anonymize', dryRun: true }).expect(200);
    const found = { conversations: 1, tickets: tickets.length };
    expect(body).toMatchObject({ found });
    expect(await erased('anonymize')).toMatchObject({ found });
  });

  it('only counts in a dry run', async () => {
    await store(conversation('c-1', 1));
    const { body } = await erase({ subject: SUBJECT, mode: 'delete', dryRun: true }).expect(200);
    expect(body).toMatchObject({
      id: null,
      erasedAt: null,
      keys: {},
      found: {
        conversations: 1,
        activities: 1,
        messages: 1,
        tickets: 1,
        conversationSurveys: 1,
      },
    });
    expect(await rows()).toHaveLength(1);
  });

  it('leaves other organizations alone, and its certificate is its own', async () => {
    const other = await service.caller();
    for (const each of [caller, other]) await store(conversation('c-1', 1), each);
    const { id } = await erased('delete');
    expect(await rows(other)).toHaveLength(1);
    await certificateOf(id, other).expect(404, {
      detail: { message: `Erasure with id ${id} was not found` },
    });
  });
});

describe('a certificate', () => {
  const again = (certificate: object) =>
    request(service.url).post('/external/erasures/again').set(caller.headers).send(certificate);

  it.each(['delete', 'anonymize'])('counts a record once when it is applied again: %s', async (mode) => {
    const records = [...conversation('c-1', 1), ...conversation('c-2', 2)];
    await store(records);
    const certificate = await erased(mode);
    const moved = newer(record.ticket({ id: 2, conversationId: 'c-3' }));
    for (const table of ['erasure', 'erased_key', 'record']) {
      await service.dataSource.query(`DELETE FROM contact_center.${table} WHERE organization_id = $1`, [
        caller.organizationId,
      ]);
    }
    await store([...records, ...conversation('c-3', 3, AN), moved]);
    await again(certificate).expect(200);
    await eventually(async () => (await certificateOf(certificate.id)).body.erasedAt !== null);
    const { found } = certificate;
    await certificateOf(certificate.id)
      .expect(200)
      .expect(({ body }) => expect(body.found).toEqual(found));
  });

  it.each(['delete', 'anonymize'])(
    'answers the same after the platform has removed what it erased: %s',
    async (mode) => {
      await store(conversation('c-1', 1));
      const certificate = await erased(mode);
      await store([{ type: 'conversation', op: 'delete', reason: 'erased', data: { id: 'c-1' } }]);
      await certificateOf(certificate.id).expect(200, certificate);
    },
  );

  it.each(['2026-W05-1', '2026', '2026-01-05T02:00:00', 'x'])(
    'is refused if it was requested at no instant: %s',
    async (requestedAt) => {
      const { body } = await again({ ...(await erased('delete')), requestedAt }).expect(422);
      expect(body.detail).toMatchObject([{ loc: ['body', 'requestedAt'] }]);
    },
  );
});

describe('what was erased', () => {
  it.each([
    ['delete', false],
    ['anonymize', true],
  ])('does not come back with later records: %s', async (mode, isLeft) => {
    await store(conversation('c-1', 1));
    await erased(mode);
    await store(conversation('c-1', 1).map((each) => newer(each)));
    await store([newer(record.ticket({ id: 1, conversationId: 'c-9', subject: MARKER }))]);
    await store([...conversation('c-9', 9, AN).slice(0, 3), ...conversation('c-1', 3).slice(3)]);
    const ofErased = (await rows()).filter(({ conversationId }) => conversationId === 'c-1');
    expect(ofErased.length > 0).toBe(isLeft);
    expect(await tablesWith(MARKER)).toEqual([]);
  });

  it.each([
    ['delete', undefined, 'erased'],
    ['anonymize', '', 'removed'],
  ])(
    '%s: a newer ticket that names an erased conversation moves and is erased',
    async (mode, subject, reason) => {
      const ticket = (conversationId: string, minute: number, text: string) =>
        record.ticket({
          ...{ id: 7, conversationId, subject: text, assigneeAccountId: 1 },
          updatedAt: `2026-01-05T00:${minute}:00.000Z`,
        });
      const subjectOf = async () => (await rows()).find(({ ticketId }) => ticketId === 7)?.ticketSubject;
      await store([
        ...conversation('c-1', 1),
        ...conversation('c-2', 2, AN).slice(0, 3),
        ticket('c-2', 20, 'Refund'),
      ]);
      await erased(mode);
      const { body: before } = await listChanges(service, caller, {}).expect(200);
      await store([ticket('c-1', 21, MARKER)]);
      expect(await subjectOf()).toBe(subject);
      expect(await tablesWith(MARKER)).toEqual([]);
      const { body: changes } = await listChanges(service, caller, {
        cursor: (before as ChangePage).nextCursor,
      }).expect(200);
      expect((changes as ChangePage).items).toContainEqual(
        expect.objectContaining({
          ...{ op: 'delete', reason },
          key: { conversationId: 'c-2', sessionIndex: 0, ticketId: 7 },
        }),
      );
    },
  );

  it('stays erased after the platform has removed a conversation as erased', async () => {
    await store(conversation('c-1', 1));
    await store([{ type: 'conversation', op: 'delete', reason: 'erased', data: { id: 'c-1' } }]);
    await store(conversation('c-1', 1).map((each) => newer(each)));
    await store([newer(record.ticket({ id: 1, conversationId: 'c-2', subject: MARKER }))]);
    expect(await rows()).toEqual([]);
    expect(await tablesWith(MARKER)).toEqual([]);
    const { body } = await listChanges(service, caller, {}).expect(200);
    expect((body as ChangePage).items).toEqual([]);
  });

  it('is erased again after a backup was restored, also a ticket that has moved', async () => {
    for (const [mode, hasArrived] of [
      ['delete', true],
      ['anonymize', true],
      ['delete', false],
      ['anonymize', false],
    ] as const) {
      const own = await service.caller();
      await store(conversation('c-1', 1), own);
      const certificate = await erased(mode, SUBJECT, own);
      for (const table of ['erasure', 'erased_key', 'record']) {
        await service.dataSource.query(`DELETE FROM contact_center.${table} WHERE organization_id = $1`, [
          own.organizationId,
        ]);
      }
      const restored = conversation('c-1', 2).slice(hasArrived ? 0 : 1);
      await store([...restored, ...conversation('c-2', 3, AN).slice(0, 3)], own);
      await store(
        [newer(record.ticket({ id: 1, conversationId: 'c-2', subject: MARKER, assigneeAccountId: 1 }))],
        own,
      );
      await request(service.url)
        .post('/external/erasures/again')
        .set(own.headers)
        .send(certificate)
        .expect(200);
      await eventually(async () => (await certificateOf(certificate.id, own)).body.erasedAt !== null);
      expect(await tablesWith(MARKER, own)).toEqual([]);
      expect((await rows(own)).some(({ conversationId }) => conversationId === 'c-1')).toBe(
        mode === 'anonymize' && hasArrived,
      );
    }
  });
});

function newer(each: object): object {
  const { data, ...rest } = each as { data: object };
  return { ...rest, data: 'updatedAt' in data ? { ...data, updatedAt: '2026-02-01T00:00:00.000Z' } : data };
}
