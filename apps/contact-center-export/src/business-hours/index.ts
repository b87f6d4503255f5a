export type { BusinessCalendar } from './business-calendar';
export { BusinessCalendars } from './business-calendars';
export type * from './human-schedule';
export { type Day, type Instant, DAY_MS, Timezone } from './timezone';
