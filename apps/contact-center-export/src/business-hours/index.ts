export { BusinessCalendar } from './business-calendar';
export { BusinessCalendars } from './business-calendars';
export { ScheduleDates } from './business-year';
export type * from './human-schedule';
export { HumanScheduleRepository } from './human-schedule.repository';
export { type Day, type Instant, DAY_MS, Timezone } from './timezone';
