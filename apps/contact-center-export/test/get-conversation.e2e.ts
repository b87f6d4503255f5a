import { BOB, conversationOfAnn, record, removal } from './builders/platform-records';
import { Timezone } from '../src/business-hours';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import { conversationNotFound, useContactCenter } from './contact-center-service';

const area = useContactCenter();
beforeEach(() => area.newOrganization());

describe('B2: GET /external/conversation-sessions/{conversationId}', () => {
  it.each(['unknown', 'with spaces', 'a/b', 'ü😀', '%', "'", 'a\0b', '..', '-1', 'x'.repeat(1_024)])(
    'of a conversation that does not exist is 404: %j',
    async (id) => {
      const { body } = await area.get(id).expect(404);
      expect(body).toEqual(conversationNotFound(id));
    },
  );

  it("of another organization's conversation is 404, like one that does not exist", async () => {
    const other = await area.service.caller();
    await area.store([record.conversation({ id: 'theirs' })], other);
    await area.get('theirs', {}, other).expect(200);
    const { body } = await area.get('theirs').expect(404);
    expect(body).toEqual(conversationNotFound('theirs'));
  });

  it('of records without their conversation is 404', async () => {
    await area.store([record.activity({ id: 'a', conversationId: 'early' })]);
    await area.get('early').expect(404);
  });

  it('of a conversation without a session or a ticket has no rows', async () => {
    await area.store([record.conversation({ id: 'quiet' })]);
    expect((await area.get('quiet').expect(200)).body).toEqual({ items: [] });
  });

  it.each(['a/b c', 'ü😀', '100%', "O'Hara", 'A+B&c=d', '..%2f'])('takes any id there is: %j', async (id) => {
    await area.store(conversationOfAnn({ id }));
    expect(await area.rowsOf(id)).toMatchObject([{ conversationId: id }]);
  });

  it('has every row, however many, in the order of the list', async () => {
    const of = { conversationId: 'c' };
    await area.store([
      ...conversationOfAnn({ id: 'c' }),
      record.activity({ ...of, id: 'a-1', occurredAt: '2026-01-05T00:40:00Z', agent: BOB }),
      ...Array.from({ length: 150 }, (_, index) =>
        record.ticket({ ...of, id: 1_000 - index * 7, assigneeAccountId: index % 3 }),
      ),
    ]);
    const items = await area.rowsOf('c');
    expect(items).toHaveLength(151);
    const pages = await Promise.all([1, 2].map((page) => area.page({ perPage: 100, page })));
    expect(pages.flatMap((page) => page.items)).toEqual(items);
  });

  it.each([200, 201])('of %i rows has each once, however many reads they take', async (count) => {
    await area.store([
      record.conversation({ id: 'c' }),
      ...Array.from({ length: count }, (_, id) => record.ticket({ conversationId: 'c', id })),
    ]);
    const items = await area.rowsOf('c');
    expect(items.map(({ ticketId }) => ticketId)).toEqual([...Array(count).keys()]);
  });

  it('fails, and never mixes two states, if the conversation changes while many rows are read', async () => {
    const tickets = Array.from({ length: 700 }, (_, id) => record.ticket({ conversationId: 'c', id }));
    await area.store([record.conversation({ id: 'c' }), ...tickets]);
    const open = () =>
      area.service.app
        .get(ConversationSessionService)
        .ofConversation(
          area.caller.organizationId,
          'c',
          Timezone.named('UTC')!,
          new AbortController().signal,
        );
    const read = async ({ reads }: Awaited<ReturnType<typeof open>>, change?: object) => {
      let rows = 0;
      for await (const some of reads) {
        if (rows === 0 && change) await area.store([change]);
        rows += some.length;
      }
      return rows;
    };
    const same = record.ticket({ conversationId: 'c', id: 699 });
    await expect(read(await open(), same)).resolves.toBe(700);
    for (const change of [
      record.ticket({ conversationId: 'c', id: 699, subject: 'Changed' }),
      removal('ticket', 0),
      removal('conversation', 'c'),
    ])
      await expect(read(await open(), change)).rejects.toThrow('has changed');
  });

  it('without an id is no path', async () => {
    const { body } = await area.call('get', '/external/conversation-sessions/');
    expect(body).toEqual({ detail: 'Not Found' });
  });
});
