export { type BusinessCalendar, BusinessCalendars, isCounted, type Span } from './business-calendar';
export {
  type HumanSchedule,
  type ScheduleException,
  type ScheduleInterval,
  type WeeklyInterval,
} from './business-year';
export type { VersionedSchedule } from './human-schedule.entity';
export { HumanScheduleRepository } from './human-schedule.repository';
export { type Day, DAY_MS, Timezone } from './timezone';
