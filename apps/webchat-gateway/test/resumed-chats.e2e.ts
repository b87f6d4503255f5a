import fc from 'fast-check';
import request from 'supertest';
import type { TestService } from '@cxp/service-kit/testing';
import { runs } from '@cxp/testing';
import type { ChatEvent } from '../src/chat-protocol/server-frames';
import type { EventPage } from '../src/conversations/history.read-model';
import type { ChatClient } from './chat-client';
import {
  agentMessage,
  connect,
  elsewhere,
  openSession,
  postToConversation,
  type OpenedSession,
  useTwoProcesses,
} from './conversation-service';
import { caller, service } from './webchat-service';

const HISTORIES = runs(2);
const STEPS_PER_HISTORY = 40;
const DISCONNECTS_PER_HISTORY = 10;

const ACTIONS = [
  'assign',
  'human_take_over',
  'route_to_human',
  'route_to_ai',
  'route_to_rating',
  'end_conversation',
  'timed_out',
  'note_added',
];

let processes: TestService[];

useTwoProcesses(() => ({ WEBCHAT_SOCKET_FRAMES_PER_SEC: '100000' }));
beforeAll(() => {
  processes = [service, elsewhere];
});

/** What a client draws. It knows nothing but what came over its sockets. */
class Screen {
  readonly events: ChatEvent[] = [];
  status = 'open';
  agent: string | null = null;
  readonly texts: string[] = [];
  readonly read = { customer: 0, agent: 0 };
  readonly ratings = new Map<number, number | null>();

  draw(event: ChatEvent): void {
    this.events.push(event);
    if ('status' in event) this.status = event.status;
    switch (event.type) {
      case 'message':
        this.texts.push(event.message.text);
        break;
      case 'activity':
        this.agent = event.agent?.name ?? null;
        break;
      case 'read':
        this.read[event.reader] = event.upTo;
        break;
      case 'rating.requested':
        this.ratings.set(event.event, null);
        break;
      case 'rating':
        this.ratings.set(event.request, event.rating);
    }
  }
}

/** A client that resumes where its last socket ended. */
class Customer {
  readonly screen = new Screen();
  private client: ChatClient | undefined;
  private drawn = 0;

  constructor(private readonly session: OpenedSession) {}

  async connect(at: TestService): Promise<void> {
    this.client = await connect(at, this.session, { lastEvent: this.lastEvent });
    this.drawn = 0;
  }

  /** Cuts the connection, in the middle of whatever happens. What was not received by then is lost. */
  disconnect(): void {
    this.draw();
    this.client?.socket.terminate();
    this.client = undefined;
  }

  /** Sends a frame, if there is a connection. */
  send(frame: object): void {
    this.client?.send(frame);
  }

  /** Sends a last message. Frames are acted on in their order: what was sent before it is done when it is accepted. */
  async finish(): Promise<void> {
    this.client!.sendMessage('last');
    for (let accepted = ''; accepted !== 'last';) {
      accepted = (await this.client!.next('message.accepted')).clientId;
    }
  }

  async until(event: number): Promise<void> {
    await this.client!.untilEvent(event);
    this.draw();
  }

  private get lastEvent(): number {
    return this.screen.events.at(-1)?.event ?? 0;
  }

  private draw(): void {
    const events = this.client?.events ?? [];
    for (; this.drawn < events.length; this.drawn++) this.screen.draw(events[this.drawn]!);
  }
}

type Step =
  | { readonly kind: 'says' | 'writes'; readonly id: number }
  | { readonly kind: 'acts'; readonly id: number; readonly action: string }
  | { readonly kind: 'reads' | 'isRead'; readonly upTo: number }
  | { readonly kind: 'rates'; readonly id: number; readonly rating: number };

interface Moment {
  /** What happens at once. */
  readonly steps: readonly Step[];
  /** The process that the wandering customer connects to next. */
  readonly goesTo: 0 | 1;
  /** Whether it is away until all of it has happened. */
  readonly staysAway: boolean;
  /** Whether what happens is published, or only stored. */
  readonly isPublished: boolean;
}

const small = fc.nat(30);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('says' as const, 'writes' as const), id: small }),
  fc.record({ kind: fc.constant('acts' as const), id: small, action: fc.constantFrom(...ACTIONS) }),
  fc.record({ kind: fc.constantFrom('reads' as const, 'isRead' as const), upTo: small }),
  fc.record({ kind: fc.constant('rates' as const), id: small, rating: fc.integer({ min: 1, max: 5 }) }),
);
const history: fc.Arbitrary<readonly Moment[]> = fc.array(
  fc.record({
    steps: fc.array(step, { maxLength: (2 * STEPS_PER_HISTORY) / DISCONNECTS_PER_HISTORY }),
    goesTo: fc.constantFrom(0 as const, 1 as const),
    staysAway: fc.boolean(),
    isPublished: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  }),
  { minLength: DISCONNECTS_PER_HISTORY, maxLength: DISCONNECTS_PER_HISTORY },
);

let sessions = 0;

async function live(moments: readonly Moment[]): Promise<void> {
  const session = await openSession(processes[0]!, caller, { id: `u-${sessions++}` });
  const [steady, wandering] = [new Customer(session), new Customer(session)];
  await steady.connect(processes[0]!);
  await wandering.connect(processes[1]!);

  for (const { steps, goesTo, staysAway, isPublished } of moments) {
    const silenced = isPublished
      ? []
      : processes.map(({ redis }) => jest.spyOn(redis, 'publish').mockResolvedValue(0));
    const happening = steps.map((step, i) => happen(step, processes[i % 2]!, session, steady));
    wandering.disconnect();
    if (staysAway) await Promise.all(happening);
    await wandering.connect(processes[goesTo]!);
    await Promise.all(happening);
    for (const spy of silenced) spy.mockRestore();
  }

  await steady.finish();
  const stored = await storedEvents(session);
  await Promise.all([steady.until(stored.lastEvent), wandering.until(stored.lastEvent)]);

  expect(steady.screen.events.map(({ event }) => event)).toEqual(
    Array.from({ length: stored.lastEvent }, (_, i) => i + 1),
  );
  expect(wandering.screen).toEqual(steady.screen);
  expect(stored.items).toEqual(steady.screen.events);
  expect([stored.status, stored.agent?.name ?? null, stored.read]).toEqual([
    steady.screen.status,
    steady.screen.agent,
    steady.screen.read,
  ]);
  for (const customer of [steady, wandering]) customer.disconnect();
}

/** The same id in two steps is a record that is repeated. */
async function happen(
  step: Step,
  at: TestService,
  session: OpenedSession,
  customer: Customer,
): Promise<void> {
  const { conversationId } = session;
  const post = (what: string, body: object) => postToConversation(at, caller, conversationId, what, body);
  switch (step.kind) {
    case 'says':
      return customer.send({ type: 'message.send', clientId: `c-${step.id}`, text: `says ${step.id}` });
    case 'writes':
      await post('messages', {
        ...agentMessage(`m-${step.id}`),
        id: `m-${conversationId}-${step.id}`,
      }).expect(200);
      return;
    case 'acts': {
      const agent = { accountId: step.id, name: `Agent ${step.id}` };
      await post('activities', { id: `a-${conversationId}-${step.id}`, action: step.action, agent }).expect(
        200,
      );
      return;
    }
    case 'reads':
      return customer.send({ type: 'read', upTo: step.upTo });
    case 'isRead':
      await post('read', { upTo: step.upTo }).expect(204);
      return;
    case 'rates':
      return customer.send({ type: 'rating.submit', clientId: `r-${step.id}`, rating: step.rating });
  }
}

async function storedEvents(session: OpenedSession): Promise<EventPage> {
  const items: ChatEvent[] = [];
  for (;;) {
    const { body } = await request(processes[0]!.url)
      .get(`/external/conversations/${session.conversationId}/events`)
      .query({ after: items.length, limit: 100 })
      .set('authorization', `Bearer ${session.sessionToken}`)
      .expect(200);
    const page = body as EventPage;
    items.push(...page.items);
    if (!page.hasMore) return { ...page, items };
  }
}

it(
  'a client that was away for any time ends in the same state as one that never was',
  async () => {
    await fc.assert(fc.asyncProperty(history, live), {
      numRuns: HISTORIES,
      endOnFailure: true,
    });
  },
  60_000 + HISTORIES * 20_000,
);
