import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, ValidateBy } from 'class-validator';
import { ConversationQuery } from '../conversation-sessions/conversation-session.dto';
import { type Anchors, SPANS } from '../derivation';

export const MAX_EXPLAINED_ROWS = 100;

/** Of both lists of a metric together. */
export const MAX_INTERVALS = 1_000;

const INSTANT = { type: String, format: 'date-time', example: '2026-01-05T02:14:00.000Z' } as const;

const ANCHORS: readonly (keyof Anchors)[] = [
  'botHandoffAt',
  'firstAgentAssignedAt',
  'firstAgentMessageAt',
  'lastAgentMessageAt',
  'conversationResolvedAt',
];
const ANCHOR = { enum: ANCHORS.filter((name) => name !== 'lastAgentMessageAt') };

class Explained {
  @ApiProperty({
    description: 'Why, in a sentence.',
    example: 'Last agent message inside the session window.',
  })
  rule: string;
}

export class RecordReference {
  @ApiProperty({ enum: ['activity', 'message', 'ticket', 'conversation_survey', 'conversation'] })
  type: 'activity' | 'message' | 'ticket' | 'conversation_survey' | 'conversation';

  @ApiProperty({ example: 'a-17' })
  id: string;

  @ApiProperty(INSTANT)
  at: string;
}

class SessionExplanation extends Explained {
  @ApiProperty()
  opened: RecordReference;

  @ApiProperty({ type: RecordReference, nullable: true, description: 'Null while the session is open.' })
  closed: RecordReference | null;
}

class TicketExplanation extends Explained {
  @ApiProperty({ type: String, enum: ['assignedAt', 'createdAt'], nullable: true })
  matchedBy: 'assignedAt' | 'createdAt' | null;

  @ApiProperty({ ...INSTANT, nullable: true })
  at: string | null;
}

class SatisfactionExplanation extends Explained {
  @ApiProperty({ type: RecordReference, nullable: true })
  record: RecordReference | null;
}

export class AnchorExplanation extends SatisfactionExplanation {
  @ApiProperty({ ...INSTANT, nullable: true, description: 'As in the row.' })
  at: string | null;
}

export class MetricExplanation extends Explained {
  @ApiProperty({ type: 'integer', nullable: true, description: 'As in the row.', example: 959 })
  seconds: number | null;

  @ApiProperty(ANCHOR)
  from: keyof Anchors;

  @ApiProperty(ANCHOR)
  to: keyof Anchors;
}

class CountedInterval {
  @ApiProperty(INSTANT)
  from: string;

  @ApiProperty(INSTANT)
  to: string;
}

class OmittedInterval extends CountedInterval {
  @ApiProperty({
    enum: ['closed', 'exception', 'no_schedule', 'out_of_range'],
    description:
      '`exception`: the weekly hours would count it, an exception of the date does not. `no_schedule`: the organization has none. `out_of_range`: the span ' +
      'begins before 1970 or ends after 2199 in UTC. `closed`: all else.',
  })
  reason: 'closed' | 'exception' | 'no_schedule' | 'out_of_range';
}

export class BusinessHoursExplanation extends MetricExplanation {
  @ApiProperty({
    type: [CountedInterval],
    description: 'In order. `counted` and `omitted` together are exactly the time from `from` to `to`.',
  })
  counted: CountedInterval[];

  @ApiProperty({ type: [OmittedInterval] })
  omitted: OmittedInterval[];

  @ApiPropertyOptional({
    description: `If true, the two lists were cut after ${MAX_INTERVALS.toLocaleString('en')} intervals; \`seconds\` counts all.`,
    example: true,
  })
  truncated?: boolean;
}

type AnchorsExplained = Readonly<Record<keyof Anchors, AnchorExplanation>>;

class AnchorExplanations {}

for (const name of ANCHORS) ApiProperty({ type: AnchorExplanation })(AnchorExplanations.prototype, name);

type Span = keyof typeof SPANS;

type MetricsExplained = Readonly<
  Record<`${Span}Seconds`, MetricExplanation> &
    Record<`${Span}BusinessHoursSeconds`, BusinessHoursExplanation>
>;

class MetricExplanations {}

for (const [suffix, type] of [
  ['Seconds', MetricExplanation],
  ['BusinessHoursSeconds', BusinessHoursExplanation],
] as const) {
  for (const span of Object.keys(SPANS))
    ApiProperty({ type })(MetricExplanations.prototype, `${span}${suffix}`);
}

export class RowExplanation {
  @ApiProperty({ type: 'integer', nullable: true, example: 0 })
  sessionIndex: number | null;

  @ApiProperty({ type: 'integer', nullable: true, example: 1001 })
  ticketId: number | null;

  @ApiProperty({
    type: SessionExplanation,
    nullable: true,
    description: 'Null for a ticket without a session.',
  })
  session: SessionExplanation | null;

  @ApiProperty({
    type: TicketExplanation,
    nullable: true,
    description: 'Null for a row without a ticket. Without a session `matchedBy` and `at` are null.',
  })
  ticket: TicketExplanation | null;

  @ApiProperty()
  satisfaction: SatisfactionExplanation;

  @ApiProperty({ type: AnchorExplanations })
  anchors: AnchorsExplained;

  @ApiProperty({ type: MetricExplanations })
  metrics: MetricsExplained;
}

export class ConversationExplanation {
  @ApiProperty({ example: 'c-1' })
  conversationId: string;

  @ApiProperty({ example: 'Asia/Singapore' })
  timezone: string;

  @ApiProperty({ type: [RowExplanation], description: 'In the order of the rows of the conversation.' })
  rows: RowExplanation[];

  @ApiPropertyOptional({
    description: `There are more rows than the first ${MAX_EXPLAINED_ROWS}, which are explained.`,
    example: true,
  })
  truncated?: boolean;
}

/** A query parameter for a part of a row's key: a whole number, or `none` for null. */
function KeyParameter(options: {
  readonly description: string;
  readonly example: number;
}): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ ...options, type: String }),
    Transform(({ value }: { value: unknown }) => {
      if (value === 'none') return null;
      return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
    }),
    IsOptional(),
    ValidateBy({
      name: 'isKey',
      validator: {
        validate: (value) => typeof value === 'number',
        defaultMessage: () => '$property must be a whole number, or none',
      },
    }),
  );
}

export class ExplanationQuery extends ConversationQuery {
  @KeyParameter({ description: 'Only rows of this session; `none`: only those without one.', example: 0 })
  sessionIndex?: number | null;

  @KeyParameter({ description: 'Only rows of this ticket; `none`: only those without one.', example: 1001 })
  ticketId?: number | null;
}
