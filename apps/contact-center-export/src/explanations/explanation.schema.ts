import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { SPANS } from '../derivation';

const orNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], { description });
const texts = <const Values extends string[]>(...values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values });
const instant = Type.String({ format: 'date-time', examples: ['2026-01-05T02:14:00.000Z'] });
const rule = Type.String({
  description: 'Why, in a sentence.',
  examples: ['Last agent message inside the session window.'],
});
const ANCHOR_NAMES = [
  'botHandoffAt',
  'firstAgentAssignedAt',
  'firstAgentMessageAt',
  'lastAgentMessageAt',
  'conversationResolvedAt',
] as const;

const record = Type.Object(
  {
    type: texts('activity', 'message', 'ticket', 'conversation_survey', 'conversation'),
    id: Type.String(),
    at: instant,
  },
  { description: 'A record, and its time that counts.' },
);

const anchor = Type.Object({
  at: orNull(instant, 'As in the row.'),
  record: orNull(record, 'Null if there is none, or if another field counts instead.'),
  rule,
});

const metric = {
  seconds: orNull(Type.Integer(), 'As in the row.'),
  from: texts(...ANCHOR_NAMES),
  to: texts(...ANCHOR_NAMES),
  rule,
};
const interval = { from: instant, to: instant };
const omitted = {
  reason: Type.Unsafe<'closed' | 'exception' | 'no_schedule'>({
    type: 'string',
    enum: ['closed', 'exception', 'no_schedule'],
    description:
      '`exception`: the week would count it without exceptions. `no_schedule`: the organization has none. `closed`: all else.',
  }),
};
const businessHours = {
  ...metric,
  counted: Type.Array(Type.Object(interval), {
    description: 'With `omitted` exactly the time from `from` to `to`, in order.',
  }),
  omitted: Type.Array(Type.Object({ ...interval, ...omitted })),
  truncated: Type.Optional(
    Type.Literal(true, {
      description: 'The lists end after 1,000 intervals together; `seconds` counts all.',
    }),
  ),
};

type MetricNames<End extends string> = Record<`${keyof typeof SPANS}${End}`, string>;
/** An object with a property for each metric. */
const ofEachSpan = <Schema extends TSchema, End extends string>(end: End, schema: Schema) =>
  Type.Object(
    Object.fromEntries(Object.keys(SPANS).map((name) => [name + end, schema])) as {
      [Name in keyof MetricNames<End>]: Schema;
    },
  );

const row = Type.Object({
  sessionIndex: orNull(Type.Integer()),
  ticketId: orNull(Type.Integer()),
  session: orNull(
    Type.Object({ opened: record, closed: orNull(record, 'Null while the session is open.'), rule }),
    'Null for a ticket without a session.',
  ),
  ticket: orNull(
    Type.Object({ matchedBy: orNull(texts('assignedAt', 'createdAt')), at: orNull(instant), rule }),
    'Null for a row without a ticket. Without a session `matchedBy` and `at` are null.',
  ),
  satisfaction: Type.Object({ record: orNull(record), rule }),
  anchors: Type.Object(
    Object.fromEntries(ANCHOR_NAMES.map((name) => [name, anchor])) as Record<
      (typeof ANCHOR_NAMES)[number],
      typeof anchor
    >,
  ),
  metrics: Type.Composite([
    ofEachSpan('Seconds', Type.Object(metric)),
    ofEachSpan('BusinessHoursSeconds', Type.Object(businessHours)),
  ]),
});

/** Why each figure of a conversation's rows is what it is. */
export const explanationSchema = Type.Object({
  conversationId: Type.String({ examples: ['c-1'] }),
  timezone: Type.String({ examples: ['Asia/Singapore'] }),
  rows: Type.Array(row, { description: 'The rows of the conversation, in the order of its list.' }),
});

export type Explanation = Static<typeof explanationSchema>;
export type RowExplanation = Explanation['rows'][number];
export type RecordReference = Static<typeof record>;
