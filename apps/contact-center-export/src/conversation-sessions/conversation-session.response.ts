import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { SESSION_END_REASONS, type SessionEndReason } from '../derivation';

function DateTimeOrNull(description: string, example: string | null): PropertyDecorator {
  return ApiProperty({ type: String, format: 'date-time', nullable: true, description, example });
}

function IntegerOrNull(description: string, example: number): PropertyDecorator {
  return ApiProperty({ type: 'integer', nullable: true, description, example });
}

function Text(description: string, example: string): PropertyDecorator {
  return ApiProperty({ type: String, description, example });
}

function OneOf(values: readonly string[], description: string, example: string): PropertyDecorator {
  return applyDecorators(ApiProperty({ type: String, enum: [...values], description, example }));
}

/** One row of the export: an agent session and a ticket matched to it. Missing values are null, missing texts blank. */
export class ConversationSessionResponse {
  @IntegerOrNull(
    'Zero-based index of the session within its conversation; null for a ticket without a session.',
    0,
  )
  sessionIndex: number | null;

  @Text(
    'Agent who handled the session; blank when the activity carried no agent identity.',
    'linh@example.com',
  )
  sessionAgentEmail: string;

  @Text('Agent display name.', 'Linh Tran')
  sessionAgentName: string;

  @IntegerOrNull('Agent account id from the activity stream.', 42)
  sessionAgentAccountId: number | null;

  @DateTimeOrNull(
    "When the agent's window opened (by assign, route_back_to_human or human_take_over).",
    '2026-01-05T02:15:00.000Z',
  )
  sessionStartAt: string | null;

  @DateTimeOrNull(
    'When the agent explicitly took over, if distinct from the start.',
    '2026-01-05T02:15:30.000Z',
  )
  sessionTookOverAt: string | null;

  @DateTimeOrNull('When the session closed (terminal action or handoff).', '2026-01-05T02:40:00.000Z')
  sessionEndAt: string | null;

  @Text('The activity action that opened the session.', 'assign')
  sessionStartAction: string;

  @Text('The activity action that closed it.', 'end_conversation')
  sessionEndAction: string;

  @OneOf([...SESSION_END_REASONS, ''], 'Why it closed; blank for a ticket without a session.', 'terminal')
  sessionEndReason: SessionEndReason | '';

  @Text('Conversation identifier.', 'c-1001')
  conversationId: string;

  @DateTimeOrNull('Creation time.', '2026-01-05T02:11:09.000Z')
  conversationCreatedAt: string | null;

  @DateTimeOrNull('First route_to_ai or route_back_to_ai event.', '2026-01-05T02:11:10.000Z')
  conversationRoutedToAiAt: string | null;

  @DateTimeOrNull('First route_to_human or route_back_to_human event.', '2026-01-05T02:14:00.000Z')
  conversationRoutedToAgentAt: string | null;

  @DateTimeOrNull('First assign event.', '2026-01-05T02:15:00.000Z')
  conversationAssignedAt: string | null;

  @DateTimeOrNull('First human_take_over event.', '2026-01-05T02:15:30.000Z')
  conversationAgentTookOverAt: string | null;

  @DateTimeOrNull('The route_to_rating event that closed this session.', null)
  sentToRatingAt: string | null;

  @DateTimeOrNull("The conversation's close timestamp.", '2026-01-05T02:40:00.000Z')
  conversationClosedAt: string | null;

  @DateTimeOrNull('Resolution anchor, equal to conversationClosedAt.', '2026-01-05T02:40:00.000Z')
  conversationResolvedAt: string | null;

  @Text('Customer id.', 'f-77')
  customerFilumId: string;

  @Text('Customer name.', 'Nguyễn Thị Hoa')
  customerName: string;

  @Text('Customer phone.', '+84901234567')
  customerPhone: string;

  @Text('Customer email.', 'hoa@example.com')
  customerEmail: string;

  @IntegerOrNull('The ticket matched to the session by assignee and time window.', 9001)
  ticketId: number | null;

  @DateTimeOrNull('Creation time of the ticket.', '2026-01-05T02:16:00.000Z')
  ticketCreatedAt: string | null;

  @DateTimeOrNull('Last update of the ticket.', '2026-01-05T02:41:00.000Z')
  ticketUpdatedAt: string | null;

  @Text('Subject.', 'Refund')
  ticketSubject: string;

  @Text('Description.', 'Wrong size delivered')
  ticketDescription: string;

  @Text('Status.', 'solved')
  ticketStatus: string;

  @Text('Priority.', 'high')
  ticketPriority: string;

  @DateTimeOrNull('Due date.', null)
  ticketDueDate: string | null;

  @DateTimeOrNull('When it was assigned.', '2026-01-05T02:16:30.000Z')
  ticketAssignedAt: string | null;

  @DateTimeOrNull('When it was resolved.', '2026-01-05T02:41:00.000Z')
  ticketResolvedAt: string | null;

  @IntegerOrNull('Channel that the ticket came from.', 1)
  installedSourceId: number | null;

  @Text('Its name.', 'Website')
  installedSourceName: string;

  @Text('Its type.', 'chat')
  channelType: string;

  @DateTimeOrNull(
    'Latest route_to_human or route_back_to_human at or before the session start, after the previous session ended and within 24 hours; else sessionStartAt.',
    '2026-01-05T02:14:00.000Z',
  )
  botHandoffAt: string | null;

  @DateTimeOrNull('SessionTookOverAt when present, else sessionStartAt.', '2026-01-05T02:15:30.000Z')
  firstAgentAssignedAt: string | null;

  @DateTimeOrNull(
    'First agent message strictly after firstAgentAssignedAt, inside the session window.',
    '2026-01-05T02:16:10.000Z',
  )
  firstAgentMessageAt: string | null;

  @DateTimeOrNull('Last agent message inside the session window.', '2026-01-05T02:39:00.000Z')
  lastAgentMessageAt: string | null;

  @IntegerOrNull('FirstAgentMessageAt minus botHandoffAt, in calendar seconds.', 130)
  waitTimeSeconds: number | null;

  @IntegerOrNull('FirstAgentMessageAt minus firstAgentAssignedAt, in calendar seconds.', 40)
  firstResponseTimeSeconds: number | null;

  @IntegerOrNull('ConversationResolvedAt minus botHandoffAt, in calendar seconds.', 1560)
  resolutionTimeSeconds: number | null;

  @IntegerOrNull('WaitTimeSeconds within business hours; null without a schedule.', 130)
  waitTimeBusinessHoursSeconds: number | null;

  @IntegerOrNull('FirstResponseTimeSeconds within business hours; null without a schedule.', 40)
  firstResponseTimeBusinessHoursSeconds: number | null;

  @IntegerOrNull('ResolutionTimeSeconds within business hours; null without a schedule.', 1560)
  resolutionTimeBusinessHoursSeconds: number | null;

  @IntegerOrNull('Survey star rating when the customer responded.', 5)
  rating: number | null;

  @OneOf(
    ['Yes', 'No', ''],
    'Yes: explicit resolution=1, or a rating of 4 or more; No: resolution=0, or a rating of 3 or less; blank without a survey.',
    'Yes',
  )
  resolutionYesNo: 'Yes' | 'No' | '';

  @Text('Free-text feedback.', 'Great help')
  feedback: string;

  @DateTimeOrNull('When the survey was submitted.', '2026-01-05T02:45:00.000Z')
  submittedAt: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: "The ticket's custom fields: display name to value.",
    example: { Branch: 'Hanoi' },
  })
  customFields: Record<string, string>;
}

export class ConversationSessionsResponse {
  @ApiProperty({ type: [ConversationSessionResponse] })
  items: ConversationSessionResponse[];
}

export class ConversationSessionPageResponse extends ConversationSessionsResponse {
  @ApiProperty({ type: 'integer', description: 'Rows matching across all pages.', example: 1 })
  total: number;

  @ApiProperty({ type: 'integer', example: 1 })
  page: number;

  @ApiProperty({ type: 'integer', example: 50 })
  perPage: number;

  @ApiProperty({ type: 'integer', example: 1 })
  pages: number;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Only when `cursor=` was sent: continues after the last item; null when there are no items.',
  })
  nextCursor?: string | null;
}
