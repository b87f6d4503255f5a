import { type Activity } from './records';

/** The actions that open a session, or, while one is open, hand it over. */
export const OPENING_ACTIONS = ['assign', 'route_back_to_human', 'human_take_over'] as const;

const OTHER_ACTIONS = [
  'route_to_ai',
  'route_back_to_ai',
  'route_to_human',
  'route_to_rating',
  'end_conversation',
  'timed_out',
] as const;

/** The actions that matter to the rows; an activity with another one is not kept. */
export const SESSION_ACTIONS = [...OPENING_ACTIONS, ...OTHER_ACTIONS];

export type OpeningAction = (typeof OPENING_ACTIONS)[number];
export type SessionAction = (typeof SESSION_ACTIONS)[number];
export type SessionActivity = Activity & { readonly action: SessionAction };

const sessionActions: ReadonlySet<string> = new Set(SESSION_ACTIONS);
const openingActions: ReadonlySet<string> = new Set(OPENING_ACTIONS);

export function isOpening(action: SessionAction): action is OpeningAction {
  return openingActions.has(action);
}

/** The activities that matter, in order of time, then of arrival. */
export function inReadingOrder(activities: readonly Activity[]): SessionActivity[] {
  return activities
    .filter((activity): activity is SessionActivity => sessionActions.has(activity.action))
    .sort((a, b) => a.occurredAt - b.occurredAt || a.arrival - b.arrival);
}

/** When one of these actions first happened. */
export function firstOf(activities: readonly SessionActivity[], ...actions: SessionAction[]): number | null {
  return activities.find(({ action }) => actions.includes(action))?.occurredAt ?? null;
}
