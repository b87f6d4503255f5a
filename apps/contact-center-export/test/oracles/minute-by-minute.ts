import { type HumanSchedule, type ScheduleInterval } from '../../src/business-hours';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/**
 * Business hours the slow way: looks at every minute and asks whether one of the intervals around it holds it. Shares
 * nothing with the code that it checks; what a zone's clocks show is read from a formatter, minute by minute.
 */
export function businessMinutes(zone: string, schedule: HumanSchedule, from: number, to: number): number {
  const clock = clockReadings(zone, from - 4 * DAY, to + 4 * DAY);
  const datesShown = new Set([...clock.values()].map((reading) => reading.slice(0, 10)));
  const intervals = [...datesShown].flatMap((date) =>
    intervalsOf(schedule, date).map(({ start, end }) => {
      const endDate = end <= start ? nextDate(date) : date;
      return { from: firstShowing(clock, date, start), to: firstShowing(clock, endDate, end) };
    }),
  );
  let minutes = 0;
  for (let at = from; at < to; at += MINUTE) {
    if (intervals.some((interval) => interval.from <= at && at < interval.to)) minutes += 1;
  }
  return minutes;
}

function intervalsOf(schedule: HumanSchedule, date: string): readonly ScheduleInterval[] {
  const exception = schedule.exceptions.find((candidate) => candidate.date === date);
  const weekday = new Date(date).getUTCDay() || 7;
  return exception?.intervals ?? schedule.weekly.filter((interval) => interval.weekday === weekday);
}

/** What the clocks show at every minute: `YYYY-MM-DD HH:mm`, in order of the minutes. */
function clockReadings(zone: string, from: number, to: number): Map<number, string> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  const readings = new Map<number, string>();
  for (let at = from; at < to; at += MINUTE) readings.set(at, format.format(at));
  return readings;
}

/** The first minute that shows the time; a time that is never shown moves forward by as much as the clocks did. */
function firstShowing(clock: Map<number, string>, date: string, time: string): number {
  const wanted = time === '24:00' ? `${nextDate(date)} 00:00` : `${date} ${time}`;
  let previous = '';
  for (const [at, reading] of clock) {
    if (reading === wanted) return at;
    if (previous !== '' && previous < wanted && wanted < reading)
      return at + minutesBetween(previous, wanted) - MINUTE;
    previous = reading;
  }
  return NaN;
}

function minutesBetween(one: string, other: string): number {
  return Date.parse(`${other.replace(' ', 'T')}Z`) - Date.parse(`${one.replace(' ', 'T')}Z`);
}

function nextDate(date: string): string {
  return new Date(Date.parse(date) + DAY).toISOString().slice(0, 10);
}
