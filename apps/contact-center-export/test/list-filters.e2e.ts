import type { AnsweredRow } from './contract-fields';
import { record } from './builders/platform-records';
import { useContactCenter } from './contact-center-service';

const ann = { accountId: 1, email: 'Ann.Ünal@Example.com', name: 'Ann' };
const bob = { accountId: 2, email: 'bob@example.com', name: 'Bob' };
const nameless = { accountId: 3 };
const emailOnly = { email: 'eve@example.com' };
const service9 = { accountId: 9, email: 'router@example.com', isServiceAccount: true };

const area = useContactCenter();
beforeAll(() => {
  const at = (minute: number) => `2026-01-05T01:${String(minute).padStart(2, '0')}:00Z`;
  const session = (
    conversationId: string,
    minute: number,
    agent: object | null,
    endAction?: string,
    endedBy = agent,
  ) => [
    record.activity({
      id: `${conversationId} ${minute}`,
      conversationId,
      action: agent ? 'assign' : 'route_back_to_human',
      occurredAt: at(minute),
      agent,
    }),
    ...(endAction
      ? [
          record.activity({
            id: `${conversationId} ${minute}+`,
            conversationId,
            action: endAction,
            occurredAt: at(minute + 5),
            agent: endedBy,
          }),
        ]
      : []),
  ];
  return area.store([
    ...['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'].map((id) => record.conversation({ id })),
    ...session('c1', 0, ann, 'end_conversation'),
    ...session('c2', 0, ann, 'route_to_ai'),
    ...session('c2', 10, bob, 'timed_out'),
    ...session('c3', 0, bob, 'route_to_human'),
    ...session('c3', 10, null),
    ...session('c4', 0, bob, 'assign', service9),
    ...session('c5', 0, nameless),
    ...session('c6', 0, emailOnly),
    // Bob's session, a ticket of his in it, and tickets of Ann and of a stranger that match no session.
    ...session('c7', 0, bob, 'end_conversation'),
    record.ticket({ id: 71, conversationId: 'c7', assigneeAccountId: 2, createdAt: at(1) }),
    record.ticket({ id: 72, conversationId: 'c7', assigneeAccountId: 1, createdAt: at(1) }),
    record.ticket({ id: 73, conversationId: 'c7', assigneeAccountId: 99, createdAt: at(1) }),
    record.ticket({ id: 74, conversationId: 'c7', assigneeAccountId: null, createdAt: at(1) }),
  ]);
});

const ALL = [
  'c1/0',
  'c2/0',
  'c2/1',
  'c3/0',
  'c3/1',
  'c4/0',
  'c5/0',
  'c6/0',
  'c7/0',
  'c7/t72',
  'c7/t73',
  'c7/t74',
];

describe.each([
  ['pages', {}],
  ['a cursor', { cursor: '' }],
])('filters, with %s', (_, how: Record<string, string>) => {
  it.each<[string, Record<string, string>, string[]]>([
    ['none', {}, ALL],
    ['one email, without case', { sessionAgentEmails: 'aNN.üNAL@exAMPLE.com' }, ['c1/0', 'c2/0']],
    [
      'several emails, trimmed',
      { sessionAgentEmails: ' bob@example.com , eve@example.com,' },
      ['c2/1', 'c3/0', 'c4/0', 'c6/0', 'c7/0'],
    ],
    ['an email that nobody has', { sessionAgentEmails: 'ann@example.com' }, []],
    ['an email that is a part of one', { sessionAgentEmails: 'example.com' }, []],
    ['an email with a wildcard', { sessionAgentEmails: 'bob@example%' }, []],
    [
      "an account id: the session's agent or the ticket's assignee",
      { assigneeAccountIds: '1' },
      ['c1/0', 'c2/0', 'c7/t72'],
    ],
    ['the account id of a matched ticket', { assigneeAccountIds: '2' }, ['c2/1', 'c3/0', 'c4/0', 'c7/0']],
    ['several account ids, trimmed', { assigneeAccountIds: ' 3 ,99, ' }, ['c5/0', 'c7/t73']],
    ['an account id with zeros before it', { assigneeAccountIds: '003' }, ['c5/0']],
    ['an account id that nobody has', { assigneeAccountIds: '9' }, []],
    ['handoff_to_ai', { sessionEndReasons: 'handoff_to_ai' }, ['c2/0']],
    ['terminal', { sessionEndReasons: 'terminal' }, ['c1/0', 'c2/1', 'c7/0']],
    ['replaced_by_other_handoff', { sessionEndReasons: 'replaced_by_other_handoff' }, ['c3/0']],
    ['service_account_takeover', { sessionEndReasons: 'service_account_takeover' }, ['c4/0']],
    ['open_at_end', { sessionEndReasons: 'open_at_end' }, ['c3/1', 'c5/0', 'c6/0']],
    [
      'every end reason: tickets without a session have none',
      {
        sessionEndReasons:
          'handoff_to_ai,terminal,replaced_by_other_handoff,service_account_takeover,open_at_end',
      },
      ALL.filter((row) => !row.includes('t')),
    ],
    [
      'all three',
      {
        sessionAgentEmails: 'ann.ünal@example.com,bob@example.com',
        assigneeAccountIds: '2',
        sessionEndReasons: 'service_account_takeover,handoff_to_ai',
      },
      ['c4/0'],
    ],
    [
      'empty ones, which are none',
      { sessionAgentEmails: '', assigneeAccountIds: ' ', sessionEndReasons: ' , ' },
      ALL,
    ],
  ])('%s', async (_case, filters, expected) => {
    const { items, total } = await area.page({ ...how, ...filters });
    expect(items.map(nameOf)).toEqual(expected);
    expect(total).toBe(expected.length);
  });
});

it('filters choose rows, not conversations: the values of a row are those of the whole conversation', async () => {
  const { items } = await area.page({ sessionAgentEmails: 'bob@example.com' });
  expect(items).toEqual(
    (await area.page()).items.filter(({ sessionAgentEmail }) => sessionAgentEmail === 'bob@example.com'),
  );
});

function nameOf({ conversationId, sessionIndex, ticketId }: AnsweredRow): string {
  return `${conversationId as string}/${sessionIndex === null ? `t${ticketId as number}` : (sessionIndex as number)}`;
}
