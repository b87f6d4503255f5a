import fc from 'fast-check';
import type {
  ConversationActivity,
  ConversationRecords,
  ConversationSurvey,
  ConversationMessage,
  Ticket,
} from '../../src/derivation';
import { SESSION_ACTIONS } from '../../src/derivation';
import { ann, bob, conversation, minute, serviceAccount, ticket } from './conversation-records';

/** Few minutes and few agents, so that equal times, shared bounds and same agents are common. */
const instant = fc.integer({ min: 0, max: 20 }).map(minute);
const maybeInstant = fc.option(instant);

export const anyActivities: fc.Arbitrary<ConversationActivity[]> = fc
  .array(
    fc.record({
      action: fc.constantFrom(...SESSION_ACTIONS, 'note_added'),
      occurredAt: instant,
      agent: fc.constantFrom(ann, bob, serviceAccount, null),
    }),
    { maxLength: 15 },
  )
  .map((list) => list.map((activity, arrival) => ({ ...activity, id: `a-${arrival}`, arrival })));

const messages: fc.Arbitrary<ConversationMessage[]> = fc
  .array(fc.record({ senderType: fc.constantFrom('agent', 'customer'), sentAt: instant }))
  .map((list) => list.map((message, n) => ({ ...message, id: `m-${n}` })));

const tickets: fc.Arbitrary<Ticket[]> = fc
  .array(
    fc.record({
      assigneeAccountId: fc.constantFrom(ann.accountId, bob.accountId, 99, null),
      assignedAt: maybeInstant,
      createdAt: instant,
    }),
    { maxLength: 6 },
  )
  .map((list) => list.map((given, index) => ticket({ ...given, id: index + 1 })));

const surveys: fc.Arbitrary<ConversationSurvey[]> = fc
  .array(
    fc.record({
      rating: fc.option(fc.integer({ min: 1, max: 5 })),
      resolution: fc.constantFrom(0, 1, null),
      feedback: fc.string(),
      submittedAt: instant,
    }),
    { maxLength: 4 },
  )
  .map((list) => list.map((given, arrival) => ({ ...given, id: `s-${arrival}`, arrival })));

/** The records of any conversation. */
export const anyRecords: fc.Arbitrary<ConversationRecords> = fc
  .record({ closedAt: maybeInstant, activities: anyActivities, messages, tickets, surveys })
  .map(({ closedAt, ...rest }) => ({ conversation: conversation({ closedAt }), ...rest }));
