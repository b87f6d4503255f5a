import { eventually } from '@cxp/service-kit/testing';
import type { ChatClient } from './chat-client';
import { open, post, session, useSession } from './conversation-service';
import { areaB, useAreaB } from './area-b';
import { caller, service } from './webchat-service';

let client: ChatClient;

useAreaB(useSession);
beforeEach(async () => {
  client = await open();
});

let activities = 0;
const happens = (action: string) => post('activities', { id: `a-${activities++}`, action }).expect(200);

const answer = (clientId: string, more: object = {}) =>
  client.send({ type: 'rating.submit', clientId, rating: 4, resolution: 1, feedback: 'Tốt 👍', ...more });

describe('route_to_rating', () => {
  it('is followed by rating.requested, whose answer is acknowledged and is an event itself', async () => {
    await happens('route_to_rating');
    const { requestedAt } = await client.next('rating.requested');
    answer('r-1');
    const { submittedAt, ...accepted } = await client.next('rating.accepted');
    expect(accepted).toEqual({ type: 'rating.accepted', clientId: 'r-1' });
    await client.untilEvent(3);
    expect(client.events.slice(1)).toEqual([
      { event: 2, type: 'rating.requested', requestedAt },
      {
        event: 3,
        type: 'rating',
        request: 2,
        clientId: 'r-1',
        rating: 4,
        resolution: 1,
        feedback: 'Tốt 👍',
        submittedAt,
      },
    ]);
  });

  it.each(['assign', 'route_to_ai', 'end_conversation'])(
    'is not %s: there is nothing to answer',
    async (action) => {
      await happens(action);
      answer('r-1');
      expect(await client.next('error')).toMatchObject({ code: 'rating_not_requested', clientId: 'r-1' });
    },
  );

  it.each(['end_conversation', 'timed_out', 'assign', 'route_to_ai'])(
    'can still be answered after %s',
    async (action) => {
      await happens('route_to_rating');
      await happens(action);
      client.sendMessage('c-1');
      answer('r-1');
      await client.next('rating.accepted');
    },
  );
});

describe('an answer', () => {
  // What makes an answer invalid: src/chat-protocol/client-frames.spec.ts.
  it('without a value is an invalid frame; nothing is stored', async () => {
    await happens('route_to_rating');
    answer('r-1', { rating: null, resolution: null, feedback: null });
    expect(await client.next('error')).toMatchObject({ code: 'invalid_frame', clientId: 'r-1' });
    answer('r-2', { rating: 5, resolution: undefined, feedback: '\u200b' });
    await client.next('rating.accepted');
    await client.untilEvent(3);
    expect(client.received('rating')).toMatchObject([
      { clientId: 'r-2', rating: 5, resolution: null, feedback: null },
    ]);
  });

  it('that is sent again with its client id is acknowledged as before and stored once', async () => {
    await happens('route_to_rating');
    const other = await open();
    for (let i = 0; i < 3; i++) answer('r-1', { rating: 5 - i });
    const first = await client.next('rating.accepted');
    expect([await client.next('rating.accepted'), await client.next('rating.accepted')]).toEqual([
      first,
      first,
    ]);
    await happens('assign');
    await other.untilEvent(4);
    expect(other.received('rating')).toMatchObject([{ rating: 5, submittedAt: first.submittedAt }]);
  });

  it('belongs to the latest open request', async () => {
    await happens('route_to_rating');
    await happens('route_to_rating');
    answer('r-1');
    answer('r-2');
    answer('r-3');
    expect(await client.next('error')).toMatchObject({ code: 'rating_already_submitted', clientId: 'r-3' });
    expect(client.received('rating').map(({ clientId, request }) => [clientId, request])).toEqual([
      ['r-1', 4],
      ['r-2', 2],
    ]);
  });

  it('of many at once is stored once', async () => {
    await happens('route_to_rating');
    const clients = await Promise.all(Array.from({ length: 8 }, () => open()));
    clients.forEach((each, i) => each.send({ type: 'rating.submit', clientId: `r-${i}`, rating: 3 }));
    const answered = (each: ChatClient) =>
      each.received('rating.accepted').length + each.received('error').length === 1;
    await eventually(() => clients.every(answered));
    await happens('assign');
    await client.untilEvent(4);
    expect(client.received('rating')).toHaveLength(1);
  });
});

it("becomes area B's conversation_survey, with the same id however often it is sent", async () => {
  await happens('route_to_rating');
  await happens('route_to_rating');
  answer('r-1', { feedback: null });
  answer('r-2', { rating: null, resolution: null });
  const accepted = [await client.next('rating.accepted'), await client.next('rating.accepted')];
  const surveys = (await areaB.recordsOf(service, caller)).filter(
    ({ type }) => type === 'conversation_survey',
  );
  const { conversationId } = session;
  expect(
    surveys.map(({ data }) => ({
      ...data,
      submittedAt: new Date((data as { submittedAt: string }).submittedAt),
    })),
  ).toEqual([
    {
      id: `webchat-${conversationId}-4`,
      conversationId,
      rating: 4,
      resolution: 1,
      feedback: '',
      submittedAt: new Date(accepted[0]!.submittedAt),
    },
    {
      id: `webchat-${conversationId}-2`,
      conversationId,
      rating: null,
      resolution: null,
      feedback: 'Tốt 👍',
      submittedAt: new Date(accepted[1]!.submittedAt),
    },
  ]);
});
