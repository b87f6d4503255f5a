import {
  activities,
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
  it('each handler of a conversation gets one session row', () => {
    expect(rowsOf(records({ activities: twoHandlers }))).toMatchObject([
      { sessionIndex: 0, sessionAgentAccountId: 1, sentToRatingAt: null },
      { sessionIndex: 1, sessionAgentAccountId: 2, sentToRatingAt: '2026-01-05T02:20:00.000Z' },
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
