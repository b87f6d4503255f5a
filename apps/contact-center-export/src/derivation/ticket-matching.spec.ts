import {
  type Step,
  activities,
  agent,
  ann,
  minute,
  steps,
  ticket,
} from '../../test/builders/conversation-records';
import { inReadingOrder } from './records';
import { deriveSessions } from './sessions';
import { ticketMatching } from './ticket-matching';

const annTwice = '10 assign ann, 20 route_to_ai, 30 assign ann, 40 end_conversation';
const annThenAnnAtOnce = '10 assign ann, 20 route_to_ai, 20 assign ann, 40 end_conversation';
const annByEmail: Step[] = [[10, 'assign', agent(null, ann.email)]];

describe('a ticket is matched to the session of its assigneeAccountId whose window contains', () => {
  it.each<[string, string | Step[], Times, number | null]>([
    ['assignedAt', annTwice, { assigned: 35, created: 15 }, 1],
    ['failing that, createdAt: assignedAt is missing', annTwice, { created: 15 }, 0],
    ['failing that, createdAt: assignedAt lies in no window', annTwice, { assigned: 25, created: 15 }, 0],
    ['nothing: both lie outside', annTwice, { assigned: 25, created: 45 }, null],
    ['the lower bound, which belongs to it', annTwice, { assigned: 30 }, 1],
    ['the upper bound, which belongs to it', annTwice, { assigned: 20 }, 0],
    ['no upper bound where the session is open', '10 assign ann', { assigned: 9999 }, 0],
    ['not what lies before an open session', '10 assign ann', { assigned: 9, created: 9 }, null],
    ['on a shared bound the later session', annThenAnnAtOnce, { assigned: 20 }, 1],
    ["on a shared bound the assignee's session", '10 assign ann, 20 assign bob', { assigned: 20 }, 0],
    ["not another agent's session", '10 assign bob', { assigned: 15, created: 15 }, null],
    ['no session without an assignee', '10 assign ann', { assignee: null, assigned: 15 }, null],
    ['no session without agent identity', '10 assign', { assignee: null, assigned: 15 }, null],
    ['no session if neither has an account id', annByEmail, { assignee: null, assigned: 15 }, null],
    ['no session of an agent known only by email', annByEmail, { assigned: 15 }, null],
  ])('%s', (_, given, { assignee = ann.accountId, assigned, created = 0 }, expected) => {
    const all = typeof given === 'string' ? steps(given) : given;
    const sessions = deriveSessions(inReadingOrder(activities(...all)));
    const match = ticketMatching(sessions)(
      ticket({
        assigneeAccountId: assignee,
        assignedAt: assigned === undefined ? null : minute(assigned),
        createdAt: minute(created),
      }),
    );
    expect(match.session?.index ?? null).toBe(expected);
  });
});

interface Times {
  readonly assignee?: number | null;
  readonly assigned?: number;
  readonly created?: number;
}
