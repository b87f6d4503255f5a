import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { Message } from '../messages/message';
import { MessageCursor } from './message-cursor';

function message(sequence: number): Message {
  const sentAt = '2026-01-05T00:00:00.000Z';
  return {
    id: `m-${sequence}`,
    sequence,
    senderType: 'agent',
    senderName: null,
    text: '',
    sentAt,
    clientId: null,
  };
}

function live(sequence: number) {
  return { sequence, frame: JSON.stringify({ type: 'message', message: message(sequence) }) };
}

/** A conversation with so many stored messages, and a client that has the first ones. */
class Conversation {
  readonly received: number[] = [];
  loads = 0;
  readonly cursor: MessageCursor;

  constructor(
    public stored: number,
    delivered: number,
  ) {
    this.cursor = new MessageCursor(delivered, {
      load: async (after, limit) => {
        this.loads++;
        // What is read is what is stored now; the answer takes a while.
        const to = Math.min(this.stored, after + limit);
        const page = Array.from({ length: Math.max(0, to - after) }, (_, i) => message(after + 1 + i));
        await nextTurn();
        return page;
      },
      sendStored: async (frame) => this.receive(frame),
      sendLive: (frame) => this.receive(frame),
    });
  }

  private receive(frame: string): void {
    this.received.push(JSON.parse(frame).message.sequence);
  }
}

function upTo(last: number, first = 1): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

describe('a message cursor', () => {
  it('passes the next message on without loading', async () => {
    const conversation = new Conversation(5, 3);
    await conversation.cursor.onEvent(live(4));
    await conversation.cursor.onEvent(live(5));
    expect(conversation).toMatchObject({ received: [4, 5], loads: 0 });
  });

  it('loads what is missing before a message that is not the next', async () => {
    const conversation = new Conversation(6, 3);
    await conversation.cursor.onEvent(live(6));
    await conversation.cursor.onEvent(live(5));
    expect(conversation).toMatchObject({ received: [4, 5, 6], loads: 1 });
  });

  it('loads what is only announced', async () => {
    const conversation = new Conversation(2, 0);
    await conversation.cursor.onEvent({ sequence: 2, frame: '' });
    expect(conversation.received).toEqual([1, 2]);
  });

  it('loads page after page', async () => {
    const conversation = new Conversation(120, 0);
    await conversation.cursor.loadAll();
    expect(conversation).toMatchObject({ received: upTo(120), loads: 3 });
  });

  it('loads again what is announced while it loads', async () => {
    const conversation = new Conversation(2, 0);
    const loading = conversation.cursor.loadAll();
    conversation.stored = 3;
    await conversation.cursor.onEvent(live(3));
    await loading;
    expect(conversation.received).toEqual([1, 2, 3]);
  });

  it('goes on after a load that failed', async () => {
    let fails = true;
    const received: string[] = [];
    const cursor = new MessageCursor(0, {
      load: async () => (fails ? Promise.reject(new Error('down')) : [message(1), message(2)]),
      sendStored: async (frame) => void received.push(frame),
      sendLive: (frame) => void received.push(frame),
    });
    await expect(cursor.onEvent(live(2))).rejects.toThrow('down');
    fails = false;
    await cursor.onEvent(live(2));
    expect(received).toHaveLength(2);
  });

  it('delivers every message once and in order, whatever becomes of the events', async () => {
    const step = fc.oneof(
      fc.record({ stored: fc.integer({ min: 1, max: 60 }) }),
      fc.record({ announced: fc.double({ min: 0, max: 1, noNaN: true }), full: fc.boolean() }),
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
            const event = live(Math.ceil(step.announced * conversation.stored));
            working.push(conversation.cursor.onEvent(step.full ? event : { ...event, frame: '' }));
          }
        }
        working.push(conversation.cursor.onEvent({ sequence: conversation.stored, frame: '' }));
        await Promise.all(working);
        expect(conversation.received).toEqual(upTo(conversation.stored, delivered + 1));
      }),
    );
  });
});
