import {
  activities,
  agent,
  agentMessages,
  ann,
  bob,
  conversation,
  minute,
  records,
  rowsOf,
  serviceAccount,
  survey,
  ticket,
} from '../../test/builders/conversation-records';

const twoHandlers = activities(
  [0, 'route_to_ai'],
  [1, 'route_to_human'],
  [2, 'assign', ann],
  [3, 'human_take_over', ann],
  [10, 'assign', bob],
  [20, 'route_to_rating', bob],
);

describe('rows of a conversation', () => {
  it('a row has every field', () => {
    const rows = rowsOf(
      records({
        conversation: conversation({
          id: 'c-9',
          closedAt: minute(25),
          customerFilumId: 'f-1',
          customerName: 'Chi',
          customerPhone: '+84 1',
          customerEmail: 'chi@example.com',
        }),
        activities: twoHandlers,
        messages: agentMessages(4, 8),
        tickets: [
          ticket({
            id: 77,
            createdAt: minute(5),
            updatedAt: minute(6),
            subject: 'Refund',
            description: 'Where is it?',
            status: 'open',
            priority: 'high',
            dueDate: minute(99),
            assignedAt: minute(7),
            resolvedAt: minute(8),
            installedSourceId: 3,
            installedSourceName: 'Shop',
            channelType: 'chat',
            customFields: { 'Order number': 'A-1' },
          }),
        ],
        surveys: [survey({ rating: 5, feedback: 'Thanks', submittedAt: minute(1) })],
      }),
    );

    expect(rows[0]).toEqual({
      sessionIndex: 0,
      sessionAgentEmail: 'ann@example.com',
      sessionAgentName: 'Ann',
      sessionAgentAccountId: 1,
      sessionStartAt: '2026-01-05T02:02:00.000Z',
      sessionTookOverAt: '2026-01-05T02:03:00.000Z',
      sessionEndAt: '2026-01-05T02:10:00.000Z',
      sessionStartAction: 'assign',
      sessionEndAction: 'assign',
      sessionEndReason: 'replaced_by_other_handoff',
      conversationId: 'c-9',
      conversationCreatedAt: '2026-01-05T02:00:00.000Z',
      conversationRoutedToAiAt: '2026-01-05T02:00:00.000Z',
      conversationRoutedToAgentAt: '2026-01-05T02:01:00.000Z',
      conversationAssignedAt: '2026-01-05T02:02:00.000Z',
      conversationAgentTookOverAt: '2026-01-05T02:03:00.000Z',
      sentToRatingAt: null,
      conversationClosedAt: '2026-01-05T02:25:00.000Z',
      conversationResolvedAt: '2026-01-05T02:25:00.000Z',
      customerFilumId: 'f-1',
      customerName: 'Chi',
      customerPhone: '+84 1',
      customerEmail: 'chi@example.com',
      ticketId: 77,
      ticketCreatedAt: '2026-01-05T02:05:00.000Z',
      ticketUpdatedAt: '2026-01-05T02:06:00.000Z',
      ticketSubject: 'Refund',
      ticketDescription: 'Where is it?',
      ticketStatus: 'open',
      ticketPriority: 'high',
      ticketDueDate: '2026-01-05T03:39:00.000Z',
      ticketAssignedAt: '2026-01-05T02:07:00.000Z',
      ticketResolvedAt: '2026-01-05T02:08:00.000Z',
      installedSourceId: 3,
      installedSourceName: 'Shop',
      channelType: 'chat',
      botHandoffAt: '2026-01-05T02:01:00.000Z',
      firstAgentAssignedAt: '2026-01-05T02:03:00.000Z',
      firstAgentMessageAt: '2026-01-05T02:04:00.000Z',
      lastAgentMessageAt: '2026-01-05T02:08:00.000Z',
      waitTimeSeconds: 180,
      firstResponseTimeSeconds: 60,
      resolutionTimeSeconds: 1440,
      rating: 5,
      resolutionYesNo: 'Yes',
      feedback: 'Thanks',
      submittedAt: '2026-01-05T02:01:00.000Z',
      customFields: { 'Order number': 'A-1' },
    });
  });

  it('each handler of a conversation gets one session row', () => {
    expect(rowsOf(records({ activities: twoHandlers }))).toMatchObject([
      { sessionIndex: 0, sessionAgentAccountId: 1, sentToRatingAt: null },
      { sessionIndex: 1, sessionAgentAccountId: 2, sentToRatingAt: '2026-01-05T02:20:00.000Z' },
    ]);
  });

  it('each ticket is paired with its session, so several tickets give several rows', () => {
    const rows = rowsOf(
      records({
        activities: twoHandlers,
        tickets: [
          ticket({ id: 3, assignedAt: minute(4) }),
          ticket({ id: 2, assigneeAccountId: 2, assignedAt: minute(15) }),
          ticket({ id: 1, assignedAt: minute(5) }),
        ],
      }),
    );
    expect(rows.map(({ sessionIndex, ticketId }) => [sessionIndex, ticketId])).toEqual([
      [0, 1],
      [0, 3],
      [1, 2],
    ]);
  });

  it('the ticket fields are blank or null, and customFields {}, when a session has no matched ticket', () => {
    expect(rowsOf(records({ activities: activities([0, 'assign', ann]) }))).toMatchObject([
      {
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
      },
    ]);
  });

  it('a ticket that matches no session gets a row of its own, after the sessions', () => {
    const rows = rowsOf(
      records({
        conversation: conversation({
          closedAt: minute(30),
          customerFilumId: 'f',
          customerName: 'n',
          customerPhone: 'p',
          customerEmail: 'e',
        }),
        activities: twoHandlers,
        messages: agentMessages(4),
        tickets: [ticket({ id: 5, assigneeAccountId: null }), ticket({ id: 4, assigneeAccountId: 44 })],
      }),
    );
    const blank = {
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
      sentToRatingAt: null,
      botHandoffAt: null,
      firstAgentAssignedAt: null,
      firstAgentMessageAt: null,
      lastAgentMessageAt: null,
      waitTimeSeconds: null,
      firstResponseTimeSeconds: null,
      resolutionTimeSeconds: null,
      conversationAssignedAt: '2026-01-05T02:02:00.000Z',
      conversationResolvedAt: '2026-01-05T02:30:00.000Z',
      customerFilumId: 'f',
      customerEmail: 'e',
    };
    expect(rows.slice(2)).toMatchObject([
      { ...blank, ticketId: 4 },
      { ...blank, ticketId: 5 },
    ]);
  });

  it('sessions with no agent identity are still emitted, with blank session-agent fields and no ticket', () => {
    const rows = rowsOf(
      records({
        activities: activities([0, 'route_back_to_human', agent(null, '', 'Somebody')]),
        tickets: [ticket({ id: 1, assigneeAccountId: null, assignedAt: minute(1) })],
      }),
    );
    expect(rows).toMatchObject([
      {
        sessionIndex: 0,
        sessionAgentEmail: '',
        sessionAgentName: '',
        sessionAgentAccountId: null,
        ticketId: null,
      },
      { sessionIndex: null, ticketId: 1 },
    ]);
  });

  it('conversationResolvedAt is shared by all rows: resolution time is anchored on the chat close, not on the session end', () => {
    const rows = rowsOf(
      records({ conversation: conversation({ closedAt: minute(30) }), activities: twoHandlers }),
    );
    expect(rows.map((row) => [row.conversationResolvedAt, row.resolutionTimeSeconds])).toEqual([
      ['2026-01-05T02:30:00.000Z', 29 * 60],
      ['2026-01-05T02:30:00.000Z', 20 * 60],
    ]);
  });

  it('resolution time is null while the conversation is not closed', () => {
    expect(rowsOf(records({ activities: twoHandlers }))[0]).toMatchObject({
      conversationClosedAt: null,
      conversationResolvedAt: null,
      resolutionTimeSeconds: null,
    });
  });

  it('the conversation block takes the first of its events, whoever did them', () => {
    const [row] = rowsOf(
      records({
        activities: activities(
          [1, 'assign', serviceAccount],
          [2, 'human_take_over', serviceAccount],
          [3, 'route_back_to_ai'],
          [4, 'route_to_ai'],
          [5, 'route_back_to_human', ann],
          [6, 'route_to_human'],
          [7, 'assign', ann],
          [8, 'human_take_over', ann],
        ),
      }),
    );
    expect(row).toMatchObject({
      conversationAssignedAt: '2026-01-05T02:01:00.000Z',
      conversationAgentTookOverAt: '2026-01-05T02:02:00.000Z',
      conversationRoutedToAiAt: '2026-01-05T02:03:00.000Z',
      conversationRoutedToAgentAt: '2026-01-05T02:05:00.000Z',
    });
  });

  it('the conversation block is null where there was no such event', () => {
    const [row] = rowsOf(records({ tickets: [ticket()] }));
    expect(row).toMatchObject({
      conversationAssignedAt: null,
      conversationAgentTookOverAt: null,
      conversationRoutedToAiAt: null,
      conversationRoutedToAgentAt: null,
    });
  });

  it('a survey for every row is on the rows of tickets without a session too', () => {
    const rows = rowsOf(
      records({
        tickets: [ticket()],
        surveys: [survey({ rating: 2, feedback: 'slow', submittedAt: minute(3) })],
      }),
    );
    expect(rows).toMatchObject([
      { rating: 2, resolutionYesNo: 'No', feedback: 'slow', submittedAt: '2026-01-05T02:03:00.000Z' },
    ]);
  });

  it('a row without a survey has a null rating, no resolution and no feedback', () => {
    expect(rowsOf(records({ activities: twoHandlers }))[0]).toMatchObject({
      rating: null,
      resolutionYesNo: '',
      feedback: '',
      submittedAt: null,
    });
  });

  it('a conversation with neither sessions nor tickets has no rows', () => {
    expect(
      rowsOf(records({ activities: activities([0, 'route_to_ai']), messages: agentMessages(1) })),
    ).toEqual([]);
  });
});
