export { BusinessCalendar, BusinessCalendars } from './business-calendar';
export {
  type HumanSchedule,
  ScheduleDates,
  type ScheduleException,
  type ScheduleInterval,
  type WeeklyInterval,
} from './business-year';
export { HumanScheduleRepository } from './human-schedule.repository';
export { type Day, type Instant, DAY_MS, Timezone } from './timezone';
