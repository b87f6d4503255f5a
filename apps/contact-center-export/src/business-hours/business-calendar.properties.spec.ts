import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { businessMinutes } from '../../test/oracles/minute-by-minute';
import { BusinessCalendar, businessYears, ScheduleDates } from './business-calendar';
import type { HumanSchedule, ScheduleInterval } from './human-schedule.repository';
import { Timezone } from './timezone';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Days on which, or beside which, the clocks of the zone change; and one where they don't. */
const placesInTime = fc.constantFrom(
  ['Asia/Singapore', '2026-01-05'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['Europe/London', '2026-03-29'],
  ['Europe/London', '2026-10-25'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Asia/Kathmandu', '1986-01-01'],
  ['America/Sao_Paulo', '2018-02-18'],
  ['America/Sao_Paulo', '2018-11-04'],
  ['America/Havana', '2026-11-01'],
  ['America/St_Johns', '2010-11-07'],
  ['America/Godthab', '2026-03-29'],
  ['Africa/Casablanca', '2026-02-15'],
  ['Asia/Pyongyang', '2018-05-05'],
  ['Pacific/Apia', '2011-12-30'],
  ['Pacific/Kwajalein', '1993-08-21'],
  ['America/New_York', '2150-03-08'],
  ['Europe/London', '2199-10-27'],
);

const time = fc.integer({ min: 0, max: 24 * 4 - 1 }).map((quarter) => timeOf(quarter * 15));
const interval: fc.Arbitrary<ScheduleInterval> = fc.record({
  start: time,
  end: fc.oneof(time, fc.constant('24:00')),
});

/** A zone, a schedule with exceptions around the place in time, and two instants in order, at most 3 days apart. */
const anyCase = placesInTime.chain(([zone, date]) => {
  const start = Date.parse(date) - DAY;
  const exceptionDate = fc.integer({ min: -1, max: 3 }).map((days) => dateOf(start + days * DAY));
  const instant = fc.integer({ min: 0, max: (3 * DAY) / MINUTE }).map((minutes) => start + minutes * MINUTE);
  return fc.record({
    zone: fc.constant(zone),
    schedule: fc.record({
      weekly: fc.array(
        fc.record({ weekday: fc.integer({ min: 1, max: 7 }), interval }).map(({ weekday, interval }) => ({
          weekday,
          ...interval,
        })),
        { maxLength: 12 },
      ),
      exceptions: fc.uniqueArray(
        fc.record({ date: exceptionDate, intervals: fc.array(interval, { maxLength: 2 }) }),
        { selector: ({ date }) => date, maxLength: 3 },
      ),
    }),
    instants: fc.tuple(instant, instant).map((two) => two.sort((a, b) => a - b)),
  });
});

describe('business hours of any span', () => {
  it('is the sum of intervals that are in order, and of which none touches another', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ zone, schedule, instants: [from, to] }) => {
        const calendar = calendarOf(zone, schedule);
        const intervals = [...calendar.intervalsBetween(from, to)];
        const bounds = intervals.flatMap((interval) => [interval.from, interval.to]);
        expect(bounds).toEqual([...new Set(bounds)].sort((a, b) => a - b));
        expect(bounds.every((bound) => from <= bound && bound <= to)).toBe(true);
        const length = intervals.reduce((sum, interval) => sum + interval.to - interval.from, 0);
        expect(Math.floor(length / 1_000)).toBe(await secondsBetween(calendar, from, to));
      }),
    );
  });

  it('is equal to a minute-by-minute count, so never less than 0, nor more than calendar time', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ zone, schedule, instants: [from, to] }) => {
        expect(await secondsBetween(calendarOf(zone, schedule), from, to)).toBe(
          businessMinutes(zone, schedule, from, to) * 60,
        );
      }),
      { numRuns: runs(30) },
    );
  });

  it('is the same over years as the sum of its days', async () => {
    const calendar = calendarOf('America/New_York', {
      weekly: [
        { weekday: 1, start: '09:00', end: '18:00' },
        { weekday: 6, start: '22:00', end: '06:00' },
      ],
      exceptions: [{ date: '2020-12-25', intervals: [] }],
    });
    const [from, to] = [Date.UTC(2016, 0, 1), Date.UTC(2026, 0, 1)];
    let sum = 0;
    for (let day = from; day < to; day += DAY)
      sum += (await secondsBetween(calendar, day, Math.min(day + DAY, to)))!;
    expect(await secondsBetween(calendar, from, to)).toBe(sum);
  });
});

function calendarOf(zone: string, schedule: HumanSchedule): BusinessCalendar {
  return new BusinessCalendar('1', new ScheduleDates(schedule), Timezone.named(zone)!, businessYears());
}

async function secondsBetween(calendar: BusinessCalendar, from: number, to: number): Promise<number | null> {
  return (await calendar.secondsOf([{ from, to }]))[0]!;
}

function timeOf(minutes: number): string {
  return new Date(minutes * MINUTE).toISOString().slice(11, 16);
}

function dateOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}
