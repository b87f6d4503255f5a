import {
  type Step,
  activities,
  agent,
  ann,
  bob,
  minute,
  serviceAccount,
} from '../../test/builders/conversation-records';
import { inReadingOrder } from './records';
import { type AgentSession, deriveSessions } from './sessions';

/** A session of a case: whose, from, to, why; the rest where the case is about it. */
interface Expected {
  agent: string | null;
  start: number;
  end: number | null;
  endReason: string;
  startAction?: string;
  endAction?: string;
  tookOver?: number | null;
}

const annOnly = agent(1, '');
const annByEmail = agent(null, 'ann@example.com');
const annInCapitals = agent(null, 'ANN@Example.com');
const nameOnly = agent(null, '', 'Somebody');

describe('sessions of a conversation', () => {
  describe('a session opens on assign, route_back_to_human or human_take_over', () => {
    it.each<[Step[], Expected[]]>([
      [
        [[5, 'assign', ann]],
        [{ agent: 'ann@example.com', start: 5, end: null, endReason: 'open_at_end', startAction: 'assign' }],
      ],
      [
        [[5, 'route_back_to_human', ann]],
        [
          {
            agent: 'ann@example.com',
            start: 5,
            end: null,
            endReason: 'open_at_end',
            startAction: 'route_back_to_human',
          },
        ],
      ],
      [
        [[5, 'human_take_over', ann]],
        [
          {
            agent: 'ann@example.com',
            start: 5,
            end: null,
            endReason: 'open_at_end',
            startAction: 'human_take_over',
          },
        ],
      ],
    ])('%j', expectSessions);

    it.each([
      'route_to_ai',
      'route_back_to_ai',
      'route_to_human',
      'route_to_rating',
      'end_conversation',
      'timed_out',
      'note_added',
    ])('%s opens none', (action) => expectSessions([[5, action, ann]], []));
  });

  describe('while one is open', () => {
    it.each<[string, Step[], Expected[]]>([
      [
        'an opening action of the same agent changes nothing',
        [
          [0, 'assign', ann],
          [1, 'assign', ann],
          [2, 'route_back_to_human', ann],
          [9, 'end_conversation'],
        ],
        [
          {
            agent: 'ann@example.com',
            start: 0,
            end: 9,
            endReason: 'terminal',
            startAction: 'assign',
            tookOver: null,
          },
        ],
      ],
      [
        'the first human_take_over of the same agent sets sessionTookOverAt',
        [
          [0, 'assign', ann],
          [2, 'human_take_over', ann],
          [4, 'human_take_over', ann],
        ],
        [{ agent: 'ann@example.com', start: 0, end: null, endReason: 'open_at_end', tookOver: 2 }],
      ],
      [
        'sessionTookOverAt is null when human_take_over opened the session',
        [
          [0, 'human_take_over', ann],
          [2, 'human_take_over', ann],
        ],
        [{ agent: 'ann@example.com', start: 0, end: null, endReason: 'open_at_end', tookOver: null }],
      ],
      [
        'a take-over at the very instant of the start is not distinct from it: null',
        [
          [0, 'assign', ann],
          [0, 'human_take_over', ann],
          [2, 'human_take_over', ann],
        ],
        [{ agent: 'ann@example.com', start: 0, end: null, endReason: 'open_at_end', tookOver: null }],
      ],
      [
        'a take-over without an agent in a session without one sets nothing',
        [
          [0, 'assign'],
          [2, 'human_take_over'],
        ],
        [{ agent: null, start: 0, end: null, endReason: 'open_at_end', tookOver: null }],
      ],
      [
        'an opening action of another agent closes it with replaced_by_other_handoff and opens the next',
        [
          [0, 'assign', ann],
          [3, 'assign', bob],
        ],
        [
          {
            agent: 'ann@example.com',
            start: 0,
            end: 3,
            endReason: 'replaced_by_other_handoff',
            endAction: 'assign',
          },
          { agent: 'bob@example.com', start: 3, end: null, endReason: 'open_at_end', startAction: 'assign' },
        ],
      ],
      [
        'an opening action of no agent where there was one closes it and opens the next',
        [
          [0, 'assign', ann],
          [3, 'route_back_to_human'],
        ],
        [
          {
            agent: 'ann@example.com',
            start: 0,
            end: 3,
            endReason: 'replaced_by_other_handoff',
            endAction: 'route_back_to_human',
          },
          { agent: null, start: 3, end: null, endReason: 'open_at_end', startAction: 'route_back_to_human' },
        ],
      ],
      [
        'an opening action of an agent where there was none closes it and opens the next',
        [
          [0, 'route_back_to_human'],
          [3, 'human_take_over', ann],
        ],
        [
          {
            agent: null,
            start: 0,
            end: 3,
            endReason: 'replaced_by_other_handoff',
            endAction: 'human_take_over',
          },
          { agent: 'ann@example.com', start: 3, end: null, endReason: 'open_at_end', tookOver: null },
        ],
      ],
      [
        'an opening action of a service account closes it with service_account_takeover and opens none',
        [
          [0, 'assign', ann],
          [3, 'assign', serviceAccount],
        ],
        [
          {
            agent: 'ann@example.com',
            start: 0,
            end: 3,
            endReason: 'service_account_takeover',
            endAction: 'assign',
          },
        ],
      ],
      [
        'a service account never has a session',
        [
          [0, 'assign', serviceAccount],
          [1, 'human_take_over', serviceAccount],
          [2, 'route_back_to_human', serviceAccount],
        ],
        [],
      ],
      [
        'an unattended route_back_to_human is a session with no agent identity',
        [
          [0, 'route_back_to_human'],
          [5, 'route_to_ai'],
        ],
        [{ agent: null, start: 0, end: 5, endReason: 'handoff_to_ai', startAction: 'route_back_to_human' }],
      ],
      [
        'an action that is not known changes nothing',
        [
          [0, 'assign', ann],
          [1, 'tag_added', bob],
          [2, 'ASSIGN', bob],
        ],
        [{ agent: 'ann@example.com', start: 0, end: null, endReason: 'open_at_end' }],
      ],
      [
        'the same agent comes back after another: each engagement is a session of its own',
        [
          [0, 'assign', ann],
          [1, 'assign', bob],
          [2, 'assign', ann],
          [3, 'timed_out'],
        ],
        [
          { agent: 'ann@example.com', start: 0, end: 1, endReason: 'replaced_by_other_handoff' },
          { agent: 'bob@example.com', start: 1, end: 2, endReason: 'replaced_by_other_handoff' },
          { agent: 'ann@example.com', start: 2, end: 3, endReason: 'terminal' },
        ],
      ],
    ])('%s', (_, steps, expected) => expectSessions(steps, expected));

    it.each([
      ['route_to_human', 'replaced_by_other_handoff'],
      ['route_to_ai', 'handoff_to_ai'],
      ['route_back_to_ai', 'handoff_to_ai'],
      ['route_to_rating', 'terminal'],
      ['end_conversation', 'terminal'],
      ['timed_out', 'terminal'],
    ])('%s closes it with %s and opens none', (endAction, endReason) =>
      expectSessions(
        [
          [0, 'assign', ann],
          [4, endAction, ann],
          [6, 'end_conversation'],
        ],
        [{ agent: 'ann@example.com', start: 0, end: 4, endReason, endAction }],
      ),
    );

    it('at the end of the stream it is open_at_end, with a null end and a blank end action', () =>
      expectSessions(
        [[0, 'assign', ann]],
        [{ agent: 'ann@example.com', start: 0, end: null, endReason: 'open_at_end', endAction: '' }],
      ));
  });

  describe('an agent is recognized by accountId, or, without one, by email without case', () => {
    it.each([
      ['the same account id, whatever the email', annOnly, ann],
      ['the same email where neither has an account id', annByEmail, annInCapitals],
      ['the same email where one has no account id', ann, annInCapitals],
      ['nobody and an agent that carries only a name', null, nameOnly],
    ])('same: %s', (_, first, second) => {
      const sessions = sessionsOf([
        [0, 'assign', first],
        [1, 'assign', second],
      ]);
      expect(sessions).toHaveLength(1);
    });

    it.each([
      ['another account id, with the same email', ann, agent(8, 'ann@example.com')],
      ['another email, without account ids', annByEmail, agent(null, 'bob@example.com')],
      ['blank emails where one has no account id', annOnly, agent(null, '')],
    ])('another: %s', (_, first, second) => {
      const sessions = sessionsOf([
        [0, 'assign', first],
        [1, 'assign', second],
      ]);
      expect(sessions.map(({ endReason }) => endReason)).toEqual([
        'replaced_by_other_handoff',
        'open_at_end',
      ]);
    });

    it('a session of an agent that carries only a name has no agent identity', () => {
      expect(sessionsOf([[0, 'assign', nameOnly]])).toMatchObject([{ agent: null }]);
    });
  });

  describe('activities are read in order of time, then of arrival', () => {
    it('an activity that arrives late is read at its time', () =>
      expectSessions(
        [
          [9, 'end_conversation'],
          [0, 'assign', ann],
        ],
        [{ agent: 'ann@example.com', start: 0, end: 9, endReason: 'terminal' }],
      ));

    it.each<[string, Step[], number]>([
      [
        'assign, then end_conversation at one instant: a session of no length',
        [
          [3, 'assign', ann],
          [3, 'end_conversation'],
        ],
        1,
      ],
      [
        'end_conversation, then assign at one instant: an open session',
        [
          [3, 'end_conversation'],
          [3, 'assign', ann],
        ],
        1,
      ],
      [
        'two assigns at one instant: two sessions, in order of arrival',
        [
          [3, 'assign', ann],
          [3, 'assign', bob],
        ],
        2,
      ],
    ])('%s', (_, steps, count) => {
      const sessions = sessionsOf(steps);
      expect(sessions).toHaveLength(count);
      expect(sessions.at(-1)?.endReason).toBe(steps.at(-1)?.[1] === 'assign' ? 'open_at_end' : 'terminal');
    });

    it('the order of arrival is that of the first arrivals, not of the input', () => {
      const [first, second] = activities([3, 'assign', ann], [3, 'assign', bob]);
      expect(agentsOf(deriveSessions(inReadingOrder([second!, first!])))).toEqual([ann.email, bob.email]);
    });
  });

  it('sessionIndex is zero-based, in order', () => {
    const sessions = sessionsOf([
      [0, 'assign', ann],
      [1, 'assign', bob],
      [2, 'assign', ann],
    ]);
    expect(sessions.map(({ index }) => index)).toEqual([0, 1, 2]);
  });
});

function sessionsOf(steps: Step[]): AgentSession[] {
  return deriveSessions(inReadingOrder(activities(...steps)));
}

function agentsOf(sessions: AgentSession[]): (string | null)[] {
  return sessions.map(({ agent }) => agent?.email ?? null);
}

function expectSessions(steps: Step[], expected: Expected[]): void {
  const sessions = sessionsOf(steps);
  expect(agentsOf(sessions)).toEqual(expected.map(({ agent }) => agent));
  expect(sessions).toMatchObject(
    expected.map(({ agent: _, start, end, tookOver, ...rest }) => ({
      startAt: minute(start),
      endAt: end === null ? null : minute(end),
      ...(tookOver === undefined ? {} : { tookOverAt: tookOver === null ? null : minute(tookOver) }),
      ...rest,
    })),
  );
}
