import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, IsString, ValidateBy } from 'class-validator';
import { FIRST_DAY, LAST_DAY } from '@cxp/change-feed';
import { CamelCasePageResponse, commaSeparated, IntegerParameter } from '@cxp/pagination';
import { type DescribedProblems, IsCalendarDate, IsNotBefore } from '@cxp/service-kit';
import { DAY_MS } from '@cxp/storage';
import { Timezone } from '../business-hours';
import { RowCursorParameter, type RowPosition } from './row-cursor';
import { ROW_FIELDS, SESSION_END_REASONS } from '../derivation';
import type { SessionFilter } from './conversation-session.read-model';
import type { FilterName, FilterValues } from './stored-row';

export const DEFAULT_TIMEZONE = 'Asia/Singapore';

/** @param stored the form in which values are stored */
function FilterParameter(
  description: string,
  example: string,
  stored = (item: string) => item,
): (query: object, name: FilterName) => void {
  const read = ({ value }: { value: unknown }) => {
    // A parameter given twice arrives as an array, which fails the check of an item.
    if (typeof value !== 'string') return value && [value];
    return commaSeparated(value)?.map(stored);
  };
  return applyDecorators(
    ApiPropertyOptional({ type: String, example, description }),
    Transform(read),
    IsOptional(),
  );
}

function IsAccountId(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isInt',
      validator: {
        validate: (value) => typeof value === 'string' && /^-?\d{1,18}$/.test(value),
        defaultMessage: () => 'each item of $property must be an integer',
      },
    },
    { each: true },
  );
}

function TimezoneParameter(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? (Timezone.named(value) ?? value) : value,
    ),
    ValidateBy({
      name: 'isTimezone',
      validator: {
        validate: (value) => value instanceof Timezone,
        defaultMessage: () => '$property must be an IANA timezone name',
      },
    }),
  );
}

export class ConversationQuery {
  @ApiPropertyOptional({
    type: String,
    default: DEFAULT_TIMEZONE,
    description: 'IANA timezone name; days and business hours are those of it.',
  })
  @TimezoneParameter()
  timezone: Timezone = Timezone.named(DEFAULT_TIMEZONE)!;

  @ApiPropertyOptional({ description: 'Must equal the authenticated organization, else 403.' })
  @IsOptional()
  @IsString()
  organizationId?: string;
}

export class WindowQuery extends ConversationQuery {
  @ApiProperty({
    format: 'date',
    example: '2026-01-05',
    description: "First day of the conversation's updatedAt, from 00:00:00 in the timezone.",
  })
  @IsCalendarDate()
  startDate: string;

  @ApiProperty({
    format: 'date',
    example: '2026-01-09',
    description: "Last day of the conversation's updatedAt, to 23:59:59.999 in the timezone.",
  })
  @IsNotBefore('startDate')
  @IsCalendarDate()
  endDate: string;
}

export class ConversationSessionsQuery
  extends WindowQuery
  implements Record<FilterName, readonly string[] | undefined>
{
  @FilterParameter('Comma-separated.', 'linh@example.com,an@example.com', (email) => email.toLowerCase())
  @IsString({ each: true })
  sessionAgentEmails: string[] | undefined;

  @FilterParameter("Comma-separated; matches the session's agent or the ticket's assignee.", '42,43')
  @IsAccountId()
  assigneeAccountIds: string[] | undefined;

  @FilterParameter(`Comma-separated: ${SESSION_END_REASONS.join(', ')}.`, 'terminal,handoff_to_ai')
  @IsIn(SESSION_END_REASONS, { each: true })
  sessionEndReasons: string[] | undefined;

  @IntegerParameter({ minimum: 1, default: 1 })
  page = 1;

  @IntegerParameter({ minimum: 1, maximum: 100, default: 50 })
  perPage = 50;

  @ApiPropertyOptional({
    type: String,
    description:
      'Continues exactly after the row that an answer gave this cursor for. Empty: from the start of the window.',
  })
  @IsOptional()
  @RowCursorParameter()
  cursor?: RowPosition;
}

/** Reads dates as whole days of the timezone. The first and the last possible day also include the times beyond them. */
export function sessionFilter(query: WindowQuery & FilterValues): SessionFilter {
  const { startDate, endDate, timezone } = query;
  const [first, last] = [Date.parse(startDate) / DAY_MS, Date.parse(endDate) / DAY_MS];
  const startsAt = timezone.startOf(first);
  const endsAt = timezone.startOf(last + 1);
  return {
    ...query,
    startsAt: first === FIRST_DAY ? Math.min(startsAt, FIRST_DAY * DAY_MS) : startsAt,
    endsAt: last === LAST_DAY ? Math.max(endsAt, (LAST_DAY + 1) * DAY_MS) : endsAt,
  };
}

export class ConversationSessionResponse {}

for (const [name, { schema }] of Object.entries(ROW_FIELDS)) {
  ApiProperty(schema)(ConversationSessionResponse.prototype, name);
}

export class ConversationSessionsResponse {
  @ApiProperty({ type: [ConversationSessionResponse] })
  items: ConversationSessionResponse[];
}

export class ConversationSessionPageResponse extends IntersectionType(
  ConversationSessionsResponse,
  CamelCasePageResponse,
) {
  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Only when `cursor=` was sent: continues after the last item; null when there are no items.',
  })
  nextCursor?: string | null;
}

/** `organizationId` is accepted as a query parameter, too. */
export const SHARED_PROBLEMS: DescribedProblems = {
  'the `organizationId` differs from the authenticated organization': { code: 'organization_mismatch' },
};

export const WINDOW_PROBLEMS: DescribedProblems = {
  ...SHARED_PROBLEMS,
  'missing or invalid parameters': {
    code: 'invalid',
    items: [{ loc: ['query', 'startDate'], msg: 'Field required', type: 'missing' }],
  },
};

export const CONVERSATION_PROBLEMS: DescribedProblems = {
  ...SHARED_PROBLEMS,
  'the organization has no such conversation': {
    code: 'resource_not_found',
    model: 'Conversation',
    id: 'c-1001',
  },
  'unknown timezone': {
    code: 'invalid',
    items: [
      {
        loc: ['query', 'timezone'],
        msg: 'timezone must be an IANA timezone name',
        type: 'value_error',
      },
    ],
  },
};
