import { ann, bob, minute, records, rowsOf, survey, ticket } from '../../test/builders/conversation-records';
import type { ConversationRecords } from './records';

/** The largest legal conversation has 16 times as many records. */
const COUNT = 625;

/** From n to 16n, n·log n grows by less than 32, and n² by 256. */
const MOST_GROWTH_OF_16N = 80;

const agentOf = (place: number) => (place % 2 === 0 ? ann : bob);
const times = <Item>(count: number, item: (place: number) => Item) =>
  Array.from({ length: count }, (_, i) => item(i));
const handovers = (count: number) =>
  times(count, (place) => ({
    id: `a-${place}`,
    action: 'assign',
    occurredAt: minute(place),
    arrival: place,
    agent: agentOf(place),
  }));

/** What the records of the largest conversations can be, each with its number of records. */
const LARGE: Readonly<Record<string, (count: number) => Partial<ConversationRecords>>> = {
  'handovers, each a session': (count) => ({ activities: handovers(count) }),
  'handovers and messages': (count) => ({
    activities: handovers(count / 2),
    messages: times(count / 2, (place) => ({ id: `m-${place}`, senderType: 'agent', sentAt: minute(place) })),
  }),
  'handovers and tickets': (count) => ({
    activities: handovers(count / 2),
    tickets: times(count / 2, (id) =>
      ticket({
        id,
        assigneeAccountId: agentOf(id).accountId,
        assignedAt: minute(id + 1),
        createdAt: minute(id),
      }),
    ),
  }),
  'tickets without a session': (count) => ({
    activities: handovers(count / 2),
    tickets: times(count / 2, (id) => ticket({ id, assignedAt: minute(-id) })),
  }),
  'sessions sent to rating, and surveys': (count) => ({
    activities: handovers(count / 2).map((activity, place) =>
      place % 2 === 0 ? activity : { ...activity, action: 'route_to_rating' },
    ),
    surveys: times(count / 2, (place) => survey({ submittedAt: minute(place), arrival: place })),
  }),
  'handoffs to humans in one session': (count) => ({
    activities: handovers(count).map((activity, place) =>
      place === count - 1 ? activity : { ...activity, action: 'route_to_human' },
    ),
  }),
};

describe('the cost of deriving the rows of a conversation', () => {
  it.each(Object.keys(LARGE))('grows in proportion to n·log n: %s', (name) => {
    const [few, many] = [records(LARGE[name]!(COUNT)), records(LARGE[name]!(16 * COUNT))];
    // Without the compilation of the code.
    for (let run = 0; run < 3; run++) rowsOf(few);
    expect(processorTimeOf(() => rowsOf(many)) / processorTimeOf(() => rowsOf(few))).toBeLessThan(
      MOST_GROWTH_OF_16N,
    );
  });
});

/** @returns the least processor time of some runs, in microseconds: the others were interrupted more */
function processorTimeOf(work: () => void): number {
  const runs = Array.from({ length: 7 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.min(...runs);
}
