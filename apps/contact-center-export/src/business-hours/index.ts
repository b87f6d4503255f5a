export { type BusinessCalendar, BusinessCalendars, type Span } from './business-calendar';
export {
  type HumanSchedule,
  HumanScheduleRepository,
  type ScheduleException,
  type ScheduleInterval,
  type VersionedSchedule,
  type WeeklyInterval,
} from './human-schedule.repository';
export { type Day, DAY_MS, Timezone } from './timezone';
