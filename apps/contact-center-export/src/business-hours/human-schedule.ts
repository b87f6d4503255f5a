/** When an organization's people are at work, in local times of whichever timezone is asked for. */
export interface HumanSchedule {
  readonly weekly: readonly WeeklyInterval[];
  readonly exceptions: readonly ScheduleException[];
}

/** Ends at `end` of the same day, or of the next where `end` is at or before `start`. */
export interface ScheduleInterval {
  /** `HH:mm` */
  readonly start: string;
  /** `HH:mm`, up to `24:00` */
  readonly end: string;
}

export interface WeeklyInterval extends ScheduleInterval {
  /** 1 (Monday) … 7 */
  readonly weekday: number;
}

/** Replaces the intervals that start on its date; none: closed. */
export interface ScheduleException {
  /** `YYYY-MM-DD` */
  readonly date: string;
  readonly intervals: readonly ScheduleInterval[];
}
