export { type BusinessCalendar, BusinessCalendars, isCounted } from './business-calendar';
export {
  type HumanSchedule,
  type ScheduleException,
  type ScheduleInterval,
  type WeeklyInterval,
} from './business-year';
export { HumanScheduleRepository, type VersionedSchedule } from './human-schedule.repository';
export { type Day, type Instant, DAY_MS, Timezone } from './timezone';
