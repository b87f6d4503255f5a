export type { BusinessCalendar } from './business-calendar';
export { BusinessCalendars } from './business-calendars';
export type * from './human-schedule';
export { HumanScheduleRepository } from './human-schedule.repository';
export { type Day, type Instant, DAY_MS, Timezone } from './timezone';
