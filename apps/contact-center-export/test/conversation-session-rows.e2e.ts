import { CONTRACT_FIELD_NAMES, type AnsweredRow } from './contract-fields';
import { useContactCenter } from './contact-center-service';

const ann = { accountId: 42, email: 'Ann@Example.com', name: 'Ann' };
const bob = { accountId: 43, email: 'bob@example.com', name: 'Bob' };
const OF = { conversationId: 'c-1' };

/** Monday, 5 January 2026: Ann takes over from the bot, hands over to Bob, who sends the customer to rating. */
const RECORDS = [
  {
    type: 'conversation',
    data: {
      id: 'c-1',
      createdAt: '2026-01-05T09:00:00+07:00',
      updatedAt: '2026-01-05T10:30:00.500Z',
      closedAt: '2026-01-05T10:00:00.900Z',
      customer: { filumId: 'f-77', name: 'Nguyễn Thị Hoa', phone: '+84901234567', email: 'Hoa@example.com' },
    },
  },
  ...[
    ['02:00:10', 'route_to_ai', null],
    ['02:05:00.250', 'route_to_human', null],
    ['02:06:00', 'assign', ann],
    ['02:07:30', 'human_take_over', ann],
    ['02:30:00', 'assign', bob],
    ['09:45:00', 'route_to_rating', bob],
  ].map(([time, action, agent], index) => ({
    type: 'activity',
    data: { ...OF, id: `a-${index}`, action, occurredAt: `2026-01-05T${time as string}Z`, agent },
  })),
  ...[
    ['02:07:30', 'agent'],
    ['02:07:40', 'customer'],
    ['02:08:00.750', 'agent'],
    ['02:20:00', 'agent'],
    ['09:29:59.999', 'agent'],
  ].map(([time, senderType], index) => ({
    type: 'message',
    data: { ...OF, id: `m-${index}`, senderType, sentAt: `2026-01-05T${time}Z` },
  })),
  {
    type: 'ticket',
    data: {
      ...OF,
      id: 7001,
      assigneeAccountId: 42,
      createdAt: '2026-01-05T02:09:00Z',
      updatedAt: '2026-01-05T02:41:00Z',
      subject: 'Refund "now"',
      description: 'Wrong size\ndelivered',
      status: 'solved',
      priority: 'high',
      dueDate: '2026-01-06T00:00:00Z',
      assignedAt: '2026-01-05T02:10:00Z',
      resolvedAt: '2026-01-05T02:40:00Z',
      installedSourceId: 3,
      installedSourceName: 'Website',
      channelType: 'chat',
      customFields: { 'Order number': 'A-1', '10': 'ten', Branch: 'Hà Nội' },
    },
  },
  {
    type: 'ticket',
    data: {
      ...OF,
      id: 7002,
      assigneeAccountId: 99,
      createdAt: '2026-01-05T03:00:00Z',
      updatedAt: '2026-01-05T03:00:00Z',
    },
  },
  {
    type: 'conversation_survey',
    data: {
      ...OF,
      id: 's-1',
      rating: 2,
      resolution: 1,
      feedback: 'Great help',
      submittedAt: '2026-01-05T09:50:00Z',
    },
  },
];

/** Monday to Friday, half past eight hours from nine. */
const SCHEDULE = {
  type: 'human_schedule',
  data: {
    weekly: [1, 2, 3, 4, 5].map((weekday) => ({ weekday, start: '09:00', end: '17:30' })),
    exceptions: [],
  },
};

const CONVERSATION = {
  conversationId: 'c-1',
  conversationCreatedAt: '2026-01-05T02:00:00.000Z',
  conversationRoutedToAiAt: '2026-01-05T02:00:10.000Z',
  conversationRoutedToAgentAt: '2026-01-05T02:05:00.250Z',
  conversationAssignedAt: '2026-01-05T02:06:00.000Z',
  conversationAgentTookOverAt: '2026-01-05T02:07:30.000Z',
  conversationClosedAt: '2026-01-05T10:00:00.900Z',
  conversationResolvedAt: '2026-01-05T10:00:00.900Z',
  customerFilumId: 'f-77',
  customerName: 'Nguyễn Thị Hoa',
  customerPhone: '+84901234567',
  customerEmail: 'Hoa@example.com',
};
const NO_SURVEY = { rating: null, resolutionYesNo: '', feedback: '', submittedAt: null };

const ANNS_ROW: AnsweredRow = {
  sessionIndex: 0,
  sessionAgentEmail: 'Ann@Example.com',
  sessionAgentName: 'Ann',
  sessionAgentAccountId: 42,
  sessionStartAt: '2026-01-05T02:06:00.000Z',
  sessionTookOverAt: '2026-01-05T02:07:30.000Z',
  sessionEndAt: '2026-01-05T02:30:00.000Z',
  sessionStartAction: 'assign',
  sessionEndAction: 'assign',
  sessionEndReason: 'replaced_by_other_handoff',
  ...CONVERSATION,
  sentToRatingAt: null,
  ticketId: 7001,
  ticketCreatedAt: '2026-01-05T02:09:00.000Z',
  ticketUpdatedAt: '2026-01-05T02:41:00.000Z',
  ticketSubject: 'Refund "now"',
  ticketDescription: 'Wrong size\ndelivered',
  ticketStatus: 'solved',
  ticketPriority: 'high',
  ticketDueDate: '2026-01-06T00:00:00.000Z',
  ticketAssignedAt: '2026-01-05T02:10:00.000Z',
  ticketResolvedAt: '2026-01-05T02:40:00.000Z',
  installedSourceId: 3,
  installedSourceName: 'Website',
  channelType: 'chat',
  botHandoffAt: '2026-01-05T02:05:00.250Z',
  firstAgentAssignedAt: '2026-01-05T02:07:30.000Z',
  firstAgentMessageAt: '2026-01-05T02:08:00.750Z',
  lastAgentMessageAt: '2026-01-05T02:20:00.000Z',
  waitTimeSeconds: 180,
  firstResponseTimeSeconds: 30,
  resolutionTimeSeconds: 28_500,
  // In Singapore the day ends at 09:30Z.
  waitTimeBusinessHoursSeconds: 180,
  firstResponseTimeBusinessHoursSeconds: 30,
  resolutionTimeBusinessHoursSeconds: 26_699,
  ...NO_SURVEY,
  customFields: { 'Order number': 'A-1', '10': 'ten', Branch: 'Hà Nội' },
};

const NO_TICKET = {
  ticketId: null,
  ticketCreatedAt: null,
  ticketUpdatedAt: null,
  ticketSubject: '',
  ticketDescription: '',
  ticketStatus: '',
  ticketPriority: '',
  ticketDueDate: null,
  ticketAssignedAt: null,
  ticketResolvedAt: null,
  installedSourceId: null,
  installedSourceName: '',
  channelType: '',
  customFields: {},
};

const BOBS_ROW: AnsweredRow = {
  sessionIndex: 1,
  sessionAgentEmail: 'bob@example.com',
  sessionAgentName: 'Bob',
  sessionAgentAccountId: 43,
  sessionStartAt: '2026-01-05T02:30:00.000Z',
  sessionTookOverAt: null,
  sessionEndAt: '2026-01-05T09:45:00.000Z',
  sessionStartAction: 'assign',
  sessionEndAction: 'route_to_rating',
  sessionEndReason: 'terminal',
  ...CONVERSATION,
  sentToRatingAt: '2026-01-05T09:45:00.000Z',
  ...NO_TICKET,
  botHandoffAt: '2026-01-05T02:30:00.000Z',
  firstAgentAssignedAt: '2026-01-05T02:30:00.000Z',
  firstAgentMessageAt: '2026-01-05T09:29:59.999Z',
  lastAgentMessageAt: '2026-01-05T09:29:59.999Z',
  waitTimeSeconds: 25_199,
  firstResponseTimeSeconds: 25_199,
  resolutionTimeSeconds: 27_000,
  waitTimeBusinessHoursSeconds: 25_199,
  firstResponseTimeBusinessHoursSeconds: 25_199,
  resolutionTimeBusinessHoursSeconds: 25_200,
  rating: 2,
  resolutionYesNo: 'Yes',
  feedback: 'Great help',
  submittedAt: '2026-01-05T09:50:00.000Z',
};

const TICKET_ONLY_ROW: AnsweredRow = {
  sessionIndex: null,
  sessionAgentEmail: '',
  sessionAgentName: '',
  sessionAgentAccountId: null,
  sessionStartAt: null,
  sessionTookOverAt: null,
  sessionEndAt: null,
  sessionStartAction: '',
  sessionEndAction: '',
  sessionEndReason: '',
  ...CONVERSATION,
  sentToRatingAt: null,
  ...NO_TICKET,
  ticketId: 7002,
  ticketCreatedAt: '2026-01-05T03:00:00.000Z',
  ticketUpdatedAt: '2026-01-05T03:00:00.000Z',
  botHandoffAt: null,
  firstAgentAssignedAt: null,
  firstAgentMessageAt: null,
  lastAgentMessageAt: null,
  waitTimeSeconds: null,
  firstResponseTimeSeconds: null,
  resolutionTimeSeconds: null,
  waitTimeBusinessHoursSeconds: null,
  firstResponseTimeBusinessHoursSeconds: null,
  resolutionTimeBusinessHoursSeconds: null,
  ...NO_SURVEY,
};

const area = useContactCenter();
beforeAll(async () => {
  await area.import([...RECORDS, SCHEDULE]).expect(200, { accepted: RECORDS.length + 1 });
});

const ROWS = [ANNS_ROW, BOBS_ROW, TICKET_ONLY_ROW];

describe('the rows of a conversation', () => {
  it('have exactly the fields of the contract, with these values, in B1', async () => {
    const { body, headers } = await area.list().expect(200);
    expect(body).toEqual({ items: ROWS, total: 3, page: 1, perPage: 50, pages: 1 });
    for (const row of body.items) expect(Object.keys(row).sort()).toEqual([...CONTRACT_FIELD_NAMES].sort());
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('are the same in B2, every one of them, without pagination fields', async () => {
    const { body } = await area.get('c-1').expect(200);
    expect(body).toEqual({ items: ROWS });
  });
});

describe('business hours', () => {
  const SPANS = [
    'waitTimeBusinessHoursSeconds',
    'firstResponseTimeBusinessHoursSeconds',
    'resolutionTimeBusinessHoursSeconds',
  ] as const;
  const spansOf = (items: AnsweredRow[]) => items.map((row) => SPANS.map((span) => row[span]));
  const NONE = [null, null, null];

  it.each([
    ['Asia/Singapore', [180, 30, 26_699], [25_199, 25_199, 25_200]],
    ['asia/ho_chi_minh', [180, 30, 28_500], [25_199, 25_199, 27_000]],
    ['Europe/Berlin', [0, 0, 7_200], [5_399, 5_399, 7_200]],
    ['America/Los_Angeles', [0, 0, 0], [0, 0, 0]],
  ])('are those of the schedule in %s, in both endpoints', async (timezone, anns, bobs) => {
    const expected = [anns, bobs, NONE];
    expect(spansOf((await area.page({ timezone })).items)).toEqual(expected);
    expect(spansOf(await area.rowsOf('c-1', { timezone }))).toEqual(expected);
  });

  it('are null without a schedule, and follow it from its arrival on', async () => {
    await area.newOrganization();
    await area.store(RECORDS);
    const ask = async () => {
      const list = spansOf((await area.page()).items);
      expect(spansOf(await area.rowsOf('c-1'))).toEqual(list);
      return list;
    };
    expect(await ask()).toEqual([NONE, NONE, NONE]);
    await area.store([SCHEDULE]);
    expect(await ask()).toEqual([[180, 30, 26_699], [25_199, 25_199, 25_200], NONE]);
    const closed = { date: '2026-01-05', intervals: [] };
    await area.store([{ ...SCHEDULE, data: { ...SCHEDULE.data, exceptions: [closed] } }]);
    expect(await ask()).toEqual([[0, 0, 0], [0, 0, 0], NONE]);
  });
});
