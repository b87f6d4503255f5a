import { RULES, SPANS } from './rules';
import { SESSION_END_REASONS } from './sessions';

interface RowField<Value> {
  readonly schema: Readonly<Record<string, unknown>>;
  /** A phantom type: no object has this property. */
  readonly value?: Value;
}

/** In the contract's order. The row's type, the response with its schema, and the CSV columns follow from these fields. */
export const ROW_FIELDS = {
  sessionIndex: integerOrNull(
    'Zero-based index of the session within its conversation; null for a ticket without a session.',
    0,
  ),
  sessionAgentEmail: text(
    'Agent who handled the session; blank when the activity carried no agent identity.',
    'linh@example.com',
  ),
  sessionAgentName: text('Agent display name.', 'Linh Tran'),
  sessionAgentAccountId: integerOrNull('Agent account id from the activity stream.', 42),
  sessionStartAt: dateTimeOrNull(
    "When the agent's window opened (by assign, route_back_to_human or human_take_over).",
    '2026-01-05T02:15:00.000Z',
  ),
  sessionTookOverAt: dateTimeOrNull(
    'When the agent explicitly took over, if distinct from the start.',
    '2026-01-05T02:15:30.000Z',
  ),
  sessionEndAt: dateTimeOrNull(
    'When the session closed (terminal action or handoff).',
    '2026-01-05T02:40:00.000Z',
  ),
  sessionStartAction: text('The activity action that opened the session.', 'assign'),
  sessionEndAction: text('The activity action that closed it.', 'end_conversation'),
  sessionEndReason: oneOf(
    [...SESSION_END_REASONS, ''],
    'Why it closed; blank for a ticket without a session.',
    'terminal',
  ),
  conversationId: text('Conversation identifier.', 'c-1001'),
  conversationCreatedAt: dateTimeOrNull('Creation time.', '2026-01-05T02:11:09.000Z'),
  conversationRoutedToAiAt: dateTimeOrNull(
    'First route_to_ai or route_back_to_ai event.',
    '2026-01-05T02:11:10.000Z',
  ),
  conversationRoutedToAgentAt: dateTimeOrNull(
    'First route_to_human or route_back_to_human event.',
    '2026-01-05T02:14:00.000Z',
  ),
  conversationAssignedAt: dateTimeOrNull('First assign event.', '2026-01-05T02:15:00.000Z'),
  conversationAgentTookOverAt: dateTimeOrNull('First human_take_over event.', '2026-01-05T02:15:30.000Z'),
  sentToRatingAt: dateTimeOrNull('The route_to_rating event that closed this session.', null),
  conversationClosedAt: dateTimeOrNull("The conversation's close timestamp.", '2026-01-05T02:40:00.000Z'),
  conversationResolvedAt: dateTimeOrNull(
    Object.values(RULES.conversationResolvedAt).join(' '),
    '2026-01-05T02:40:00.000Z',
  ),
  customerFilumId: text('Customer id.', 'f-77'),
  customerName: text('Customer name.', 'Nguyễn Thị Hoa'),
  customerPhone: text('Customer phone.', '+84901234567'),
  customerEmail: text('Customer email.', 'hoa@example.com'),
  ticketId: integerOrNull('The ticket matched to the session by assignee and time window.', 9001),
  ticketCreatedAt: dateTimeOrNull('Creation time of the ticket.', '2026-01-05T02:16:00.000Z'),
  ticketUpdatedAt: dateTimeOrNull('Last update of the ticket.', '2026-01-05T02:41:00.000Z'),
  ticketSubject: text('Subject.', 'Refund'),
  ticketDescription: text('Description.', 'Wrong size delivered'),
  ticketStatus: text('Status.', 'solved'),
  ticketPriority: text('Priority.', 'high'),
  ticketDueDate: dateTimeOrNull('Due date.', null),
  ticketAssignedAt: dateTimeOrNull('When it was assigned.', '2026-01-05T02:16:30.000Z'),
  ticketResolvedAt: dateTimeOrNull('When it was resolved.', '2026-01-05T02:41:00.000Z'),
  installedSourceId: integerOrNull('Channel that the ticket came from.', 1),
  installedSourceName: text('Name of the channel.', 'Website'),
  channelType: text('Type of the channel.', 'chat'),
  botHandoffAt: dateTimeOrNull(described(RULES.botHandoffAt), '2026-01-05T02:14:00.000Z'),
  firstAgentAssignedAt: dateTimeOrNull(described(RULES.firstAgentAssignedAt), '2026-01-05T02:15:30.000Z'),
  firstAgentMessageAt: dateTimeOrNull(described(RULES.firstAgentMessageAt), '2026-01-05T02:16:10.000Z'),
  lastAgentMessageAt: dateTimeOrNull(described(RULES.lastAgentMessageAt), '2026-01-05T02:39:00.000Z'),
  waitTimeSeconds: calendarMetric('waitTime', 130),
  firstResponseTimeSeconds: calendarMetric('firstResponseTime', 40),
  resolutionTimeSeconds: calendarMetric('resolutionTime', 1560),
  waitTimeBusinessHoursSeconds: businessHoursMetric('waitTime', 130),
  firstResponseTimeBusinessHoursSeconds: businessHoursMetric('firstResponseTime', 40),
  resolutionTimeBusinessHoursSeconds: businessHoursMetric('resolutionTime', 1560),
  rating: integerOrNull('Survey star rating when the customer responded.', 5),
  resolutionYesNo: oneOf(
    ['Yes', 'No', ''],
    'Yes: explicit resolution=1, or a rating of 4 or more; No: resolution=0, or a rating of 3 or less; blank without a survey.',
    'Yes',
  ),
  feedback: text('Free-text feedback.', 'Great help'),
  submittedAt: dateTimeOrNull('When the survey was submitted.', '2026-01-05T02:45:00.000Z'),
  customFields: textByName("The ticket's custom fields: display name to value.", { Branch: 'Hanoi' }),
};

/** These fields depend on the timezone of a request and are not stored. */
export const BUSINESS_HOURS_FIELDS = [
  'waitTimeBusinessHoursSeconds',
  'firstResponseTimeBusinessHoursSeconds',
  'resolutionTimeBusinessHoursSeconds',
] as const;

type ValueOf<Field> = Field extends RowField<infer Value> ? Value : never;

export type ConversationSessionRow = {
  readonly [Name in Exclude<keyof typeof ROW_FIELDS, (typeof BUSINESS_HOURS_FIELDS)[number]>]: ValueOf<
    (typeof ROW_FIELDS)[Name]
  >;
};

export const STORED_FIELD_NAMES = Object.keys(ROW_FIELDS).filter(
  (name) => !(BUSINESS_HOURS_FIELDS as readonly string[]).includes(name),
) as (keyof ConversationSessionRow)[];

function dateTimeOrNull(description: string, example: string | null): RowField<string | null> {
  return { schema: { type: 'string', format: 'date-time', nullable: true, description, example } };
}

function integerOrNull(description: string, example: number): RowField<number | null> {
  return { schema: { type: 'integer', nullable: true, description, example } };
}

function text(description: string, example: string): RowField<string> {
  return { schema: { type: 'string', description, example } };
}

function oneOf<const Value extends string>(
  values: readonly Value[],
  description: string,
  example: NoInfer<Value>,
): RowField<Value> {
  return { schema: { type: 'string', enum: values, description, example } };
}

function textByName(
  description: string,
  example: Record<string, string>,
): RowField<Readonly<Record<string, string>>> {
  return { schema: { type: 'object', additionalProperties: { type: 'string' }, description, example } };
}

function calendarMetric(name: keyof typeof SPANS, example: number): RowField<number | null> {
  const { from, to } = SPANS[name];
  const { calendar, missing, negative } = RULES.metric;
  return integerOrNull([calendar(from, to), missing, negative].join(' '), example);
}

function businessHoursMetric(name: keyof typeof SPANS, example: number): RowField<number | null> {
  const { from, to } = SPANS[name];
  const { businessHours, missing, negative, noSchedule, outOfRange } = RULES.metric;
  return integerOrNull(
    [businessHours(from, to), missing, negative, noSchedule, outOfRange].join(' '),
    example,
  );
}

function described(rules: Readonly<Record<string, string>>): string {
  return [...Object.values(rules), RULES.noSession].join(' ');
}
