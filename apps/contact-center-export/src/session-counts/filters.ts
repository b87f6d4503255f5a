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
  /** The form in which values are stored. */
  readonly stored?: (value: string) => string;
}

/** A filter that chooses groups: rows with the same values of these filters are one group, and counted together. */
interface GroupFilter extends Filter {
  /** Of `session_group`; no value is null. */
  readonly column: string;
  readonly type: 'text' | 'bigint';
  readonly valueOf: (row: FilteredRow) => string;
}

/** Stored in place of an account id that is unknown; no parameter can name it. */
const NO_ACCOUNT = '-9223372036854775808';

/** A matched ticket's assignee is the session's agent, so a row has one account. */
const GROUP_FILTERS = {
  sessionAgentEmails: {
    description: 'Comma-separated.',
    example: 'linh@example.com,an@example.com',
    check: IsString({ each: true }),
    stored: (email) => email.toLowerCase(),
    column: 'email',
    type: 'text',
    valueOf: ({ session }) => session.sessionAgentEmail.toLowerCase(),
  },
  assigneeAccountIds: {
    description: "Comma-separated; matches the session's agent or the ticket's assignee.",
    example: '42,43',
    check: IsAccountId(),
    column: 'account_id',
    type: 'bigint',
    valueOf: ({ session, ticketAssigneeAccountId }) => {
      const { sessionIndex, sessionAgentAccountId } = session;
      return String((sessionIndex === null ? ticketAssigneeAccountId : sessionAgentAccountId) ?? NO_ACCOUNT);
    },
  },
} as const satisfies Readonly<Record<string, GroupFilter>>;

/** The filters of B1 by parameter, each once: parameters, statements, groups and counts follow from it. */
export const FILTERS = {
  ...GROUP_FILTERS,
  /** Each end reason has a column of the counts. */
  sessionEndReasons: {
    description: `Comma-separated: ${SESSION_END_REASONS.join(', ')}.`,
    example: 'terminal,handoff_to_ai',
    check: IsIn(SESSION_END_REASONS, { each: true }),
  },
} as const satisfies Readonly<Record<string, Filter>>;

export type FilterValues = { readonly [Parameter in keyof typeof FILTERS]?: readonly string[] };

/** Which rows of an organization; what is not given filters nothing. */
export interface SessionFilter extends FilterValues {
  /** Of the conversation's updatedAt. */
  readonly startsAt: Instant;
  /** Exclusive. */
  readonly endsAt: Instant;
}

/** The columns of a group, which a migration has to add. */
export type GroupColumn = (typeof GROUP_FILTERS)[keyof typeof GROUP_FILTERS]['column'];

/** The values of a group, one for each filter that chooses groups, in their order. */
export type Group = readonly string[];

const PARAMETERS = Object.keys(GROUP_FILTERS) as (keyof typeof GROUP_FILTERS)[];
const COLUMNS: readonly GroupFilter[] = Object.values(GROUP_FILTERS);

export const GROUP_COLUMNS = COLUMNS.map(({ column }) => column);

/** SQL: arrays with the values of groups, one for each column, as parameters from the given one on. */
export function groupArrays(first: number): string {
  return COLUMNS.map(({ type }, place) => `$${first + place}::${type}[]`).join(', ');
}

export function groupOf(row: FilteredRow): Group {
  return COLUMNS.map(({ valueOf }) => valueOf(row));
}

export function choosesGroups(filter: FilterValues): boolean {
  return PARAMETERS.some((parameter) => filter[parameter]);
}

/** The parameters of `chosenGroups`. */
export function groupValues(filter: FilterValues): (readonly string[] | undefined)[] {
  return PARAMETERS.map((parameter) => filter[parameter]);
}

/** SQL: the parameters of a function that takes `groupValues`. */
export function groupParameters(): string {
  return COLUMNS.map(({ column, type }) => `wanted_${column} ${type}[]`).join(', ');
}

/**
 * SQL: where the groups are read that filters choose. The values are parameters from the given one on, null for a filter that is not given.
 */
export function chosenGroups(first: number): string {
  const conditions = COLUMNS.map(({ column, type }, place) => {
    const values = `$${first + place}::${type}[]`;
    return `AND (${values} IS NULL OR ${column} = ANY (${values}))`;
  });
  return `FROM contact_center.session_group WHERE organization_id = $1 ${conditions.join(' ')}`;
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
