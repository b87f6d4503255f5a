import type { HumanScheduleData } from '@cxp/platform-records';

/** When an organization's people are at work, in local times of the timezone of a request. */
export interface HumanSchedule {
  readonly weekly: readonly WeeklyInterval[];
  readonly exceptions: readonly ScheduleException[];
}

export type WeeklyInterval = Readonly<HumanScheduleData['weekly'][number]>;

/** Replaces the intervals that start on its date; none: closed. */
export type ScheduleException = Readonly<NonNullable<HumanScheduleData['exceptions']>[number]>;

/** Ends at `end` of the same day, or of the next where `end` is at or before `start`. */
export type ScheduleInterval = Readonly<Pick<WeeklyInterval, 'start' | 'end'>>;
