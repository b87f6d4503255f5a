import { eventually } from '@cxp/service-kit/testing';
import type { ChatClient } from './chat-client';
import {
  connect,
  open,
  openSession,
  post,
  postToConversation,
  session,
  useSession,
} from './conversation-service';
import { AreaB } from './area-b';
import { caller, service } from './webchat-service';

let areaB: AreaB;
let client: ChatClient;

beforeAll(async () => {
  areaB = await AreaB.start();
});
useSession(() => areaB.settings);
beforeEach(async () => {
  client = await open();
});
afterAll(() => areaB.stop());

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
  it.each<[object]>([
    [{ rating: 1, resolution: null, feedback: null }],
    [{ rating: null, resolution: 0, feedback: null }],
    [{ rating: null, resolution: null, feedback: '😀'.repeat(2_000) }],
    [{ rating: 5, resolution: undefined, feedback: undefined }],
  ])('is accepted: %j', async (values) => {
    await happens('route_to_rating');
    answer('r-1', values);
    await client.next('rating.accepted');
  });

  it.each<[string, object]>([
    ['all null', { rating: null, resolution: null, feedback: null }],
    ['all absent', { rating: undefined, resolution: undefined, feedback: undefined }],
    ['a rating of 0', { rating: 0 }],
    ['a rating of 6', { rating: 6 }],
    ['a rating of 4.5', { rating: 4.5 }],
    ['a text for a rating', { rating: '4' }],
    ['a resolution of 2', { resolution: 2 }],
    ['a resolution of true', { resolution: true }],
    ['feedback of 2001 code points', { feedback: '😀'.repeat(2_001) }],
    ['feedback with NUL', { feedback: 'a\0' }],
    ['feedback with half a character', { feedback: '\ud83d' }],
    ['no client id', { clientId: undefined }],
    ['an empty client id', { clientId: '' }],
  ])('is an invalid frame with %s; nothing is stored', async (_, values) => {
    await happens('route_to_rating');
    answer('r-1', values);
    expect(await client.next('error')).toMatchObject({ code: 'invalid_frame' });
    answer('r-2');
    await client.next('rating.accepted');
    await client.untilEvent(3);
    expect(client.received('rating')).toMatchObject([{ clientId: 'r-2' }]);
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

  it('to an answered request is an error', async () => {
    await happens('route_to_rating');
    answer('r-1');
    answer('r-2');
    expect(await client.next('error')).toMatchObject({ code: 'rating_already_submitted', clientId: 'r-2' });
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

  it('of another conversation has its own client ids', async () => {
    for (const id of ['v', 'w']) {
      const other = await openSession(service, caller, { id });
      const asked = { id: `a-${id}`, action: 'route_to_rating' };
      await postToConversation(service, caller, other.conversationId, 'activities', asked).expect(200);
      const own = await connect(service, other);
      own.send({ type: 'rating.submit', clientId: 'r-1', rating: 4 });
      await own.next('rating.accepted');
      await own.close();
    }
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
