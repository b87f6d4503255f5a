import type { InvalidItem } from '@cxp/error-envelopes';
import { type Static, Type } from '@sinclair/typebox';
import type { PlatformRecord, RecordTypes } from './record-types';
import { calendarDate, instant, optional, safeInteger, textById, textKey, wallTime } from './record-schemas';

const text = Type.String();

/** Rows repeat names and emails. */
const name = Type.String({ maxLength: 255 });
const email = Type.String({ maxLength: 320 });

const customer = Type.Object({
  filumId: optional(name),
  name: optional(name),
  phone: optional(name),
  email: optional(email),
});

const conversation = Type.Object({
  id: textKey,
  createdAt: instant,
  updatedAt: Type.String({
    format: 'date-time',
    description:
      'A record with an older `updatedAt` than the stored one is ignored; an equal one replaces it',
  }),
  closedAt: optional(instant),
  customer: optional(customer),
});

const agent = Type.Object({
  accountId: optional(safeInteger),
  email: optional(email),
  name: optional(name),
  isServiceAccount: optional(Type.Boolean(), 'Default false'),
});

const activity = Type.Object({
  id: textKey,
  conversationId: textKey,
  action: Type.String({ description: 'For instance `assign` or `end_conversation`' }),
  occurredAt: instant,
  agent: optional(agent),
});

const message = Type.Object({
  id: textKey,
  conversationId: textKey,
  senderType: Type.String({ description: '`agent`, `customer`, `bot`, …' }),
  sentAt: instant,
});

const ticket = Type.Object({
  id: safeInteger,
  conversationId: textKey,
  assigneeAccountId: optional(safeInteger),
  createdAt: instant,
  updatedAt: conversation.properties.updatedAt,
  subject: optional(Type.String({ maxLength: 1_000 })),
  description: optional(text),
  status: optional(text),
  priority: optional(text),
  dueDate: optional(instant),
  assignedAt: optional(instant),
  resolvedAt: optional(instant),
  installedSourceId: optional(safeInteger),
  installedSourceName: optional(text),
  channelType: optional(text),
  customFields: optional(textById),
});

const conversationSurvey = Type.Object({
  id: textKey,
  conversationId: textKey,
  rating: optional(safeInteger),
  resolution: Type.Optional(
    Type.Unsafe<0 | 1 | null>({ enum: [0, 1, null], description: '1: resolved, 0: not resolved' }),
  ),
  feedback: optional(Type.String({ maxLength: 5_000 })),
  submittedAt: instant,
});

const interval = {
  start: Type.String({ ...wallTime, not: { const: '24:00' } }),
  end: Type.String({
    ...wallTime,
    description: '`HH:mm`, `24:00` included. An end at or before the start is on the next day',
  }),
};

const humanSchedule = Type.Object({
  weekly: Type.Array(
    Type.Object({
      weekday: Type.Integer({ minimum: 1, maximum: 7, description: '1 (Monday) to 7 (Sunday)' }),
      ...interval,
    }),
    { maxItems: 200 },
  ),
  exceptions: optional(
    Type.Array(
      Type.Object({
        date: calendarDate,
        intervals: Type.Array(Type.Object(interval), {
          maxItems: 20,
          description: 'Empty: closed on this day',
        }),
      }),
      { maxItems: 1_000 },
    ),
  ),
});

function* repeatedDates({ exceptions }: Static<typeof humanSchedule>): Generator<InvalidItem> {
  const seen = new Set<string>();
  for (const [index, { date }] of (exceptions ?? []).entries()) {
    if (seen.has(date)) {
      const loc = ['exceptions', index, 'date'];
      yield { loc, msg: 'Each date can have one exception only', type: 'duplicate' };
    }
    seen.add(date);
  }
}

export const contactCenterRecordTypes = {
  conversation: { data: conversation, key: 'id', removable: true, erasable: true },
  activity: { data: activity, key: 'id', removable: true },
  message: { data: message, key: 'id', removable: true },
  ticket: { data: ticket, key: 'id', removable: true },
  conversation_survey: { data: conversationSurvey, key: 'id', removable: true },
  human_schedule: {
    data: humanSchedule,
    key: null,
    removable: false,
    maxBytes: 128 * 1024,
    problems: repeatedDates,
  },
} as const satisfies RecordTypes;

export type ContactCenterRecord = PlatformRecord<typeof contactCenterRecordTypes>;
export type ConversationData = Static<typeof conversation>;
export type ActivityData = Static<typeof activity>;
export type MessageData = Static<typeof message>;
export type TicketData = Static<typeof ticket>;
export type ConversationSurveyData = Static<typeof conversationSurvey>;
export type HumanScheduleData = Static<typeof humanSchedule>;
