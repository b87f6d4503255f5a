import request from 'supertest';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import { Timezone } from '../src/business-hours';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import {
  conversationNotFound,
  EVER,
  getConversation,
  importRecords,
  listSessions,
  startContactCenter,
} from './contact-center-service';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter();
  caller = await service.caller();
});
afterAll(() => service.stop());

describe('B2: GET /external/conversation-sessions/{conversationId}', () => {
  it.each(['unknown', 'with spaces', 'a/b', 'ü😀', '%', "'", 'a\0b', '..', '-1', 'x'.repeat(1_024)])(
    'of a conversation that does not exist is 404: %j',
    async (id) => {
      const { body } = await getConversation(service, caller, id).expect(404);
      expect(body).toEqual(conversationNotFound(id));
    },
  );

  it("of another organization's conversation is 404, like one that does not exist", async () => {
    const other = await service.caller();
    await importRecords(service, other, [record.conversation({ id: 'theirs' })]).expect(200);
    await getConversation(service, other, 'theirs').expect(200);
    const { body } = await getConversation(service, caller, 'theirs').expect(404);
    expect(body).toEqual(conversationNotFound('theirs'));
  });

  it('of records without their conversation is 404', async () => {
    await importRecords(service, caller, [record.activity({ id: 'a', conversationId: 'early' })]).expect(200);
    await getConversation(service, caller, 'early').expect(404);
  });

  it('of a conversation without a session or a ticket has no rows', async () => {
    await importRecords(service, caller, [record.conversation({ id: 'quiet' })]).expect(200);
    expect((await getConversation(service, caller, 'quiet').expect(200)).body).toEqual({ items: [] });
  });

  it.each(['a/b c', 'ü😀', '100%', "O'Hara", 'A+B&c=d', '..%2f'])('takes any id there is: %j', async (id) => {
    await importRecords(service, caller, [
      record.conversation({ id }),
      record.activity({ id: `a of ${id}`, conversationId: id }),
    ]).expect(200);
    const { body } = await getConversation(service, caller, id).expect(200);
    expect(body.items).toMatchObject([{ conversationId: id }]);
  });

  it('has every row, however many, in the order of the list', async () => {
    const caller = await service.caller();
    const of = { conversationId: 'c' };
    const agent = { accountId: 1, email: 'ann@example.com' };
    await importRecords(service, caller, [
      record.conversation({ id: 'c' }),
      record.activity({ ...of, id: 'a-0', agent }),
      record.activity({
        ...of,
        id: 'a-1',
        occurredAt: '2026-01-05T00:40:00Z',
        agent: { accountId: 2, email: 'bob@example.com' },
      }),
      ...Array.from({ length: 150 }, (_, index) =>
        record.ticket({ ...of, id: 1_000 - index * 7, assigneeAccountId: index % 3 }),
      ),
    ]).expect(200);
    const { items } = (await getConversation(service, caller, 'c').expect(200)).body;
    expect(items).toHaveLength(151);
    const pages = await Promise.all(
      [1, 2].map((page) => listSessions(service, caller, { ...EVER, perPage: 100, page }).expect(200)),
    );
    expect(pages.flatMap(({ body }) => body.items)).toEqual(items);
  });

  it.each([200, 201])('of %i rows has each once, however many reads they take', async (count) => {
    const caller = await service.caller();
    await importRecords(service, caller, [
      record.conversation({ id: 'c' }),
      ...Array.from({ length: count }, (_, id) => record.ticket({ conversationId: 'c', id })),
    ]).expect(200);
    const { items } = (await getConversation(service, caller, 'c').expect(200)).body;
    expect(items.map(({ ticketId }: { ticketId: number }) => ticketId)).toEqual([...Array(count).keys()]);
  });

  it('fails, and never mixes two states, if the conversation changes while many rows are read', async () => {
    const caller = await service.caller();
    const tickets = Array.from({ length: 700 }, (_, id) => record.ticket({ conversationId: 'c', id }));
    await importRecords(service, caller, [record.conversation({ id: 'c' }), ...tickets]).expect(200);
    const open = () =>
      service.app
        .get(ConversationSessionService)
        .ofConversation(caller.organizationId, 'c', Timezone.named('UTC')!, new AbortController().signal);
    const read = async ({ reads }: Awaited<ReturnType<typeof open>>, change?: object) => {
      let rows = 0;
      for await (const some of reads) {
        if (rows === 0 && change) await importRecords(service, caller, [change]).expect(200);
        rows += some.length;
      }
      return rows;
    };
    const same = record.ticket({ conversationId: 'c', id: 699 });
    await expect(read(await open(), same)).resolves.toBe(700);
    for (const change of [
      record.ticket({ conversationId: 'c', id: 699, subject: 'Changed' }),
      { type: 'ticket', op: 'delete', data: { id: 0 } },
      { type: 'conversation', op: 'delete', data: { id: 'c' } },
    ])
      await expect(read(await open(), change)).rejects.toThrow('has changed');
  });

  it('without an id is no path', async () => {
    const { body } = await request(service.url).get('/external/conversation-sessions/').set(caller.headers);
    expect(body).toEqual({ detail: 'Not Found' });
  });
});
