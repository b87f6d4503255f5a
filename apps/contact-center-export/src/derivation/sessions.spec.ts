import {
  type Step,
  activities,
  agent,
  ann,
  bob,
  minutesIn,
  steps,
} from '../../test/builders/conversation-records';
import { inReadingOrder } from './records';
import { type AgentSession, deriveSessions } from './sessions';

const annOnly = agent(1, '');
const annByEmail = agent(null, 'ann@example.com');
const annInCapitals = agent(null, 'ANN@Example.com');
const nameOnly = agent(null, '', 'Somebody');

describe('sessions of a conversation', () => {
  it.each<[string, string, string[]]>([
    ['assign opens one', '5 assign ann', ['Ann 5- assign→ open_at_end']],
    ['route_back_to_human too', '5 route_back_to_human ann', ['Ann 5- route_back_to_human→ open_at_end']],
    ['human_take_over too', '5 human_take_over ann', ['Ann 5- human_take_over→ open_at_end']],
    [
      'an opening action of the same agent changes nothing',
      '0 assign ann, 1 assign ann, 2 route_back_to_human ann, 9 end_conversation',
      ['Ann 0-9 assign→end_conversation terminal'],
    ],
    [
      'the first human_take_over of the same agent sets sessionTookOverAt',
      '0 assign ann, 2 human_take_over ann, 4 human_take_over ann',
      ['Ann 0- assign→ open_at_end, took over 2'],
    ],
    [
      'sessionTookOverAt is null when human_take_over opened the session',
      '0 human_take_over ann, 2 human_take_over ann',
      ['Ann 0- human_take_over→ open_at_end'],
    ],
    [
      'a take-over at the very instant of the start is not distinct from it: null',
      '0 assign ann, 0 human_take_over ann, 2 human_take_over ann',
      ['Ann 0- assign→ open_at_end'],
    ],
    [
      'a take-over without an agent in a session without one sets nothing',
      '0 assign, 2 human_take_over',
      ['- 0- assign→ open_at_end'],
    ],
    [
      'an opening action of another agent closes it and opens the next',
      '0 assign ann, 3 assign bob',
      ['Ann 0-3 assign→assign replaced_by_other_handoff', 'Bob 3- assign→ open_at_end'],
    ],
    [
      'so does one of no agent where there was one',
      '0 assign ann, 3 route_back_to_human',
      [
        'Ann 0-3 assign→route_back_to_human replaced_by_other_handoff',
        '- 3- route_back_to_human→ open_at_end',
      ],
    ],
    [
      'and one of an agent where there was none',
      '0 route_back_to_human, 3 human_take_over ann',
      [
        '- 0-3 route_back_to_human→human_take_over replaced_by_other_handoff',
        'Ann 3- human_take_over→ open_at_end',
      ],
    ],
    [
      'an opening action of a service account closes it and opens none',
      '0 assign ann, 3 assign router',
      ['Ann 0-3 assign→assign service_account_takeover'],
    ],
    [
      'a service account never has a session',
      '0 assign router, 1 human_take_over router, 2 route_back_to_human router',
      [],
    ],
    [
      'an unattended route_back_to_human is a session with no agent identity',
      '0 route_back_to_human, 5 route_to_ai',
      ['- 0-5 route_back_to_human→route_to_ai handoff_to_ai'],
    ],
    [
      'an action that is not known changes nothing',
      '0 assign ann, 1 tag_added bob, 2 ASSIGN bob',
      ['Ann 0- assign→ open_at_end'],
    ],
    [
      'the same agent comes back after another: each engagement is a session of its own',
      '0 assign ann, 1 assign bob, 2 assign ann, 3 timed_out',
      [
        'Ann 0-1 assign→assign replaced_by_other_handoff',
        'Bob 1-2 assign→assign replaced_by_other_handoff',
        'Ann 2-3 assign→timed_out terminal',
      ],
    ],
    [
      'an activity that arrives late is read at its time',
      '9 end_conversation, 0 assign ann',
      ['Ann 0-9 assign→end_conversation terminal'],
    ],
    [
      'those of one instant are read in order of arrival: a session of no length',
      '3 assign ann, 3 end_conversation',
      ['Ann 3-3 assign→end_conversation terminal'],
    ],
    [
      'the end, then the start at one instant: an open session',
      '3 end_conversation, 3 assign ann',
      ['Ann 3- assign→ open_at_end'],
    ],
    [
      'two assigns at one instant: two sessions',
      '3 assign ann, 3 assign bob',
      ['Ann 3-3 assign→assign replaced_by_other_handoff', 'Bob 3- assign→ open_at_end'],
    ],
  ])('%s', (_, text, expected) => {
    const sessions = sessionsOf(steps(text));
    expect(sessions.map(written)).toEqual(expected);
    expect(sessions.map(({ index }) => index)).toEqual([...expected.keys()]);
  });

  it.each([
    ['route_to_human', 'replaced_by_other_handoff'],
    ['route_to_ai', 'handoff_to_ai'],
    ['route_back_to_ai', 'handoff_to_ai'],
    ['route_to_rating', 'terminal'],
    ['end_conversation', 'terminal'],
    ['timed_out', 'terminal'],
  ])('%s closes one with %s and opens none', (endAction, endReason) => {
    const sessions = sessionsOf(steps(`0 assign ann, 4 ${endAction} ann, 6 end_conversation`));
    expect(sessions.map(written)).toEqual([`Ann 0-4 assign→${endAction} ${endReason}`]);
    expect(sessionsOf(steps(`5 ${endAction} ann, 6 note_added ann`))).toEqual([]);
  });

  it('the order of arrival is that of the first arrivals, not of the input', () => {
    const [first, second] = activities([3, 'assign', ann], [3, 'assign', bob]);
    const sessions = deriveSessions(inReadingOrder([second!, first!]));
    expect(sessions.map((session) => session.agent)).toEqual([ann, bob]);
  });

  it.each([
    ['the same account id, whatever the email', annOnly, ann, 1],
    ['the same email where neither has an account id', annByEmail, annInCapitals, 1],
    ['the same email where one has no account id', ann, annInCapitals, 1],
    ['nobody and an agent that carries only a name', null, nameOnly, 1],
    ['another account id, with the same email', ann, agent(8, 'ann@example.com'), 2],
    ['another email, without account ids', annByEmail, agent(null, 'bob@example.com'), 2],
    ['blank emails where one has no account id', annOnly, agent(null, ''), 2],
  ])('agents are recognized by accountId or, without one, by email without case: %s', (...each) => {
    const [, first, second, count] = each;
    expect(
      sessionsOf([
        [0, 'assign', first],
        [1, 'assign', second],
      ]),
    ).toHaveLength(count);
  });

  it('a session of an agent that carries only a name has no agent identity', () => {
    expect(sessionsOf([[0, 'assign', nameOnly]])).toMatchObject([{ agent: null }]);
  });
});

function sessionsOf(given: Step[]): AgentSession[] {
  return deriveSessions(inReadingOrder(activities(...given)));
}

/** Agent, start and end in minutes, the two actions, the reason, and when the agent took over. */
function written(session: AgentSession): string {
  const { agent, startAt, endAt, startAction, endAction, endReason, tookOverAt } = session;
  const tookOver = tookOverAt === null ? '' : `, took over ${minutesIn(tookOverAt)}`;
  const span = `${minutesIn(startAt)}-${minutesIn(endAt) ?? ''}`;
  return `${agent?.name ?? '-'} ${span} ${startAction}→${endAction} ${endReason}${tookOver}`;
}
