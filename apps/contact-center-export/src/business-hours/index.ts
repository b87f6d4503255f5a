export { type BusinessCalendar, BusinessCalendars, type Span, spanOf } from './business-calendar';
export {
  type HumanSchedule,
  HumanScheduleRepository,
  type ScheduleInterval,
  type VersionedSchedule,
} from './human-schedule.repository';
export { Timezone } from './timezone';
