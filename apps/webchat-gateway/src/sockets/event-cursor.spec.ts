import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { ChatEvent } from '../chat-protocol/server-frames';
import { EventCursor } from './event-cursor';

function eventOf(event: number): ChatEvent {
  return { event, type: 'read', reader: 'agent', upTo: event };
}

/** A conversation with so many stored events, and a client that has the first ones. */
class Conversation {
  readonly received: number[] = [];
  loads = 0;
  readonly cursor: EventCursor;

  constructor(
    public stored: number,
    delivered: number,
  ) {
    this.cursor = new EventCursor(delivered, {
      load: async (after, limit) => {
        this.loads++;
        // What is read is what is stored now; the answer takes a while.
        const to = Math.min(this.stored, after + limit);
        const page = Array.from({ length: Math.max(0, to - after) }, (_, i) => eventOf(after + 1 + i));
        await nextTurn();
        return page;
      },
      sendStored: ({ event }) => this.received.push(event),
      untilRead: () => nextTurn(),
      sendFrame: (frame) => this.received.push(JSON.parse(frame).event),
    });
  }

  live(event: number): Promise<void> {
    return this.cursor.onEvent(event, JSON.stringify(eventOf(event)));
  }
}

function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

describe('an event cursor', () => {
  it('passes the next event on without loading', async () => {
    const conversation = new Conversation(5, 3);
    await conversation.live(4);
    await conversation.live(5);
    expect(conversation).toMatchObject({ received: [4, 5], loads: 0 });
  });

  it('goes on after a load that failed', async () => {
    let fails = true;
    const received: number[] = [];
    const cursor = new EventCursor(0, {
      load: async () => (fails ? Promise.reject(new Error('down')) : [eventOf(1), eventOf(2)]),
      sendStored: ({ event }) => received.push(event),
      untilRead: async () => undefined,
      sendFrame: () => undefined,
    });
    await expect(cursor.onEvent(2, '')).rejects.toThrow('down');
    fails = false;
    await cursor.onEvent(2, '');
    expect(received).toEqual([1, 2]);
  });

  it('delivers every event once and in order, whatever becomes of the events', async () => {
    const step = fc.oneof(
      fc.record({ stored: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ upTo: fc.double({ min: 0, max: 1, noNaN: true }), full: fc.boolean() }),
      fc.constant('turn' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.nat(70), fc.nat(70), fc.array(step, { maxLength: 40 }), async (a, b, steps) => {
        const delivered = Math.min(a, b);
        const conversation = new Conversation(Math.max(a, b), delivered);
        const working = [conversation.cursor.loadAll()];
        for (const step of steps) {
          if (step === 'turn') await nextTurn();
          else if ('stored' in step) conversation.stored += step.stored;
          else {
            const event = Math.max(1, Math.ceil(step.upTo * conversation.stored));
            const { cursor } = conversation;
            if (event <= conversation.stored) {
              working.push(step.full ? conversation.live(event) : cursor.onStored(event));
            }
          }
        }
        working.push(conversation.cursor.onStored(conversation.stored));
        await Promise.all(working);
        expect(conversation.received).toEqual(upTo(conversation.stored, delivered + 1));
      }),
    );
  });
});
