import {
  activities,
  agentMessages,
  conversation,
  minute,
  minutesIn,
  steps,
} from '../../test/builders/conversation-records';
import type { Instant } from '../instant';
import { inReadingOrder, type ConversationMessage } from './records';
import { agentMessagesOf, anchorsOf, calendarSeconds, resolvedAnchor } from './anchors';
import { deriveSessions } from './sessions';

const DAY = 24 * 60;

describe('botHandoffAt', () => {
  it.each<[string, string, number]>([
    ['is a route_to_human before the session start', '2 route_to_human, 5 assign ann', 2],
    ['is the route_back_to_human that opened the session', '2 route_to_human, 5 route_back_to_human ann', 5],
    ['is a route_to_human at the session start', '5 route_to_human, 5 assign ann', 5],
    ['is the latest of several', '1 route_to_human, 3 route_to_human, 5 assign ann', 3],
    ['falls back to sessionStartAt when there is none', '2 route_to_ai, 5 assign ann', 5],
    ['qualifies at exactly 24 hours before the start', `0 route_to_human, ${DAY} assign ann`, 0],
    ['falls back when it is more than 24 hours before', `0 route_to_human, ${DAY + 1} assign ann`, DAY + 1],
    [
      'is not one from before the previous session ended',
      '1 route_to_human, 2 assign bob, 3 route_to_ai, 5 assign ann',
      5,
    ],
    [
      'is not one from inside the previous session',
      '1 assign bob, 2 route_back_to_human bob, 3 route_to_ai, 5 assign ann',
      5,
    ],
    ['can be the event that ended the previous session', '1 assign bob, 3 route_to_human, 5 assign ann', 3],
    [
      'is one after the previous session ended',
      '1 assign bob, 2 route_to_ai, 4 route_to_human, 5 assign ann',
      4,
    ],
    [
      'by reading order: one at the instant of the end of the previous session, read before that end, is not after it',
      '1 assign bob, 3 route_back_to_human bob, 3 end_conversation, 5 assign ann',
      5,
    ],
    [
      'by reading order: one at the instant of the start, read after it, is not before it',
      '2 route_to_human, 5 assign ann, 5 route_back_to_human ann',
      2,
    ],
  ])('%s', (_, text, expected) => {
    expect(minutesIn(lastSessionsAnchors(text).botHandoffAt)).toBe(expected);
  });
});

it.each([
  ['sessionTookOverAt when present', '1 assign ann, 4 human_take_over ann', 4],
  ['else sessionStartAt', '1 assign ann', 1],
])('firstAgentAssignedAt is %s', (_, text, expected) => {
  expect(minutesIn(lastSessionsAnchors(text).firstAgentAssignedAt)).toBe(expected);
});

describe('messages with senderType=agent', () => {
  const tookOver = '10 assign ann, 15 human_take_over ann, 20 end_conversation';

  it.each<[string, number[], number | null, number | null]>([
    ['the first strictly after firstAgentAssignedAt, and the last, in any order', [18, 16, 17], 16, 18],
    ['one at firstAgentAssignedAt is not after it, but inside the window', [15], null, 15],
    ['one before firstAgentAssignedAt is inside the window', [12], null, 12],
    ['the bounds of the window are inside it', [10, 20], 20, 20],
    ['one before the window does not count', [9], null, null],
    ['one after the window does not count', [21], null, null],
    ['none', [], null, null],
  ])('%s', (_, minutes, first, last) => {
    const anchors = lastSessionsAnchors(tookOver, agentMessages(...minutes));
    expect(minutesIn(anchors.firstAgentMessageAt)).toBe(first);
    expect(minutesIn(anchors.lastAgentMessageAt)).toBe(last);
  });

  it('messages of other senders do not count', () => {
    const others = ['customer', 'bot', 'Agent', ''].map((senderType) => ({
      id: senderType,
      senderType,
      sentAt: minute(16),
    }));
    const anchors = lastSessionsAnchors(tookOver, others);
    expect(anchors).toMatchObject({ firstAgentMessageAt: null, lastAgentMessageAt: null });
  });

  it('an open session has no upper bound', () => {
    const anchors = lastSessionsAnchors('10 assign ann', agentMessages(9999));
    expect(minutesIn(anchors.lastAgentMessageAt)).toBe(9999);
  });
});

describe('metrics in calendar seconds', () => {
  it.each([
    ['whole seconds', 0, 90_000, 90],
    ['rounded down once, at the end', 999, 2_998, 1],
    ['no time at all', 5, 5, 0],
    ['null when the span would be negative', 6, 5, null],
    ['null when the first anchor is missing', null, 5, null],
    ['null when the second anchor is missing', 5, null, null],
  ])('%s', (_, from, to, expected) => {
    expect(calendarSeconds(from, to)).toBe(expected);
  });
});

function lastSessionsAnchors(text: string, messages: ConversationMessage[] = []) {
  const inOrder = inReadingOrder(activities(...steps(text)));
  const sessions = deriveSessions(inOrder);
  const written = agentMessagesOf(messages);
  const resolved = resolvedAnchor(conversation());
  const anchors = anchorsOf(sessions.at(-1)!, sessions.at(-2), inOrder, written, resolved);
  const times = Object.entries(anchors).map(([name, { at }]) => [name, at] as const);
  return Object.fromEntries(times) as Record<keyof typeof anchors, Instant | null>;
}
