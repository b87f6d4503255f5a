import type { ActivityData } from '@cxp/platform-records';

/** Something that happened to a conversation: it was routed, assigned, taken over, closed. */
export interface Activity {
  /** Unique in the organization; sending it again changes nothing. */
  readonly id: string;
  readonly action: string;
  /** ISO 8601 in UTC with milliseconds. */
  readonly occurredAt: string;
  /** Who acted, as area B's records have it. */
  readonly agent: NonNullable<ActivityData['agent']> | null;
}

/** An activity on its way in; without a time it happens when it is stored. */
export type NewActivity = Omit<Activity, 'occurredAt'> & { readonly occurredAt: string | null };

/** The actions that close a conversation, and those that open it again. */
export const CLOSING_ACTIONS = ['end_conversation', 'timed_out'];
export const OPENING_ACTIONS = [
  'route_to_ai',
  'route_back_to_ai',
  'route_to_human',
  'route_back_to_human',
  'assign',
  'human_take_over',
];

/** The actions after which their agent handles the conversation, unless it is a service account: then no agent does. */
export const ASSIGNING_ACTIONS = ['assign', 'route_back_to_human', 'human_take_over'];

/** The action by which the customer is asked to rate the chat. */
export const RATING_ACTION = 'route_to_rating';

/** The actions after which no agent handles the conversation. */
export const RELEASING_ACTIONS = [
  ...CLOSING_ACTIONS,
  ...OPENING_ACTIONS.filter((action) => !ASSIGNING_ACTIONS.includes(action)),
  RATING_ACTION,
];
