import { IsIn, IsString, ValidateBy } from 'class-validator';
import type { Instant } from '../business-hours';
import { type ConversationSessionRow, SESSION_END_REASONS } from '../derivation';

/** What the filters read of a row. */
export interface FilteredRow {
  readonly session: ConversationSessionRow;
  readonly ticketAssigneeAccountId: number | null;
}

/** A filter of B1: a parameter that names some values, of which a row has to have one. */
export interface Filter {
  readonly description: string;
  readonly example: string;
  readonly check: PropertyDecorator;
  /** Of the table of rows, and of the index that has their order. */
  readonly column: string;
  readonly type: 'text' | 'bigint';
  readonly valueOf: (row: FilteredRow) => string | number | null;
  /** The form in which values are stored. */
  readonly stored?: (value: string) => string;
}

/** The filters of B1 by parameter, each once: parameters, conditions and columns follow from it. */
export const FILTERS = {
  sessionAgentEmails: {
    description: 'Comma-separated.',
    example: 'linh@example.com,an@example.com',
    check: IsString({ each: true }),
    stored: (email) => email.toLowerCase(),
    column: 'agent_email',
    type: 'text',
    valueOf: ({ session }) => session.sessionAgentEmail.toLowerCase(),
  },
  assigneeAccountIds: {
    description: "Comma-separated; matches the session's agent or the ticket's assignee.",
    example: '42,43',
    check: IsAccountId(),
    column: 'account_id',
    type: 'bigint',
    // A matched ticket's assignee is the session's agent, so a row has one account.
    valueOf: ({ session, ticketAssigneeAccountId }) =>
      session.sessionIndex === null ? ticketAssigneeAccountId : session.sessionAgentAccountId,
  },
  sessionEndReasons: {
    description: `Comma-separated: ${SESSION_END_REASONS.join(', ')}.`,
    example: 'terminal,handoff_to_ai',
    check: IsIn(SESSION_END_REASONS, { each: true }),
    column: 'session_end_reason',
    type: 'text',
    valueOf: ({ session }) => session.sessionEndReason,
  },
} as const satisfies Readonly<Record<string, Filter>>;

type Parameter = keyof typeof FILTERS;

export type FilterValues = { readonly [Name in Parameter]?: readonly string[] };

/** Which rows of an organization; what is not given filters nothing. */
export interface SessionFilter extends FilterValues {
  /** Of the conversation's updatedAt. */
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

const ALL: readonly Filter[] = Object.values(FILTERS);

export const FILTER_COLUMNS = ALL.map(({ column }) => column);

/** The value of each of the columns. */
export function filterColumnsOf(row: FilteredRow): Readonly<Record<string, string | number | null>> {
  return Object.fromEntries(ALL.map(({ column, valueOf }) => [column, valueOf(row)]));
}

/** The filters that are given, in their order. */
export function usedFilters(filter: FilterValues): Parameter[] {
  return (Object.keys(FILTERS) as Parameter[]).filter((name) => filter[name]);
}

/** SQL: that rows have the values of filters, which are parameters from the given one on. */
export function conditionsOf(used: readonly Parameter[], first: number): string {
  return used
    .map((name, place) => {
      const { column, type } = FILTERS[name];
      return `AND ${column} = ANY ($${first + place}::${type}[])`;
    })
    .join(' ');
}

/** A whole number that fits a bigint. */
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
