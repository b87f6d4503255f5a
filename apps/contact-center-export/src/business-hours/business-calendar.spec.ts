import { BusinessCalendar, businessYears, ScheduleDates } from './business-calendar';
import type { HumanSchedule, ScheduleInterval } from './human-schedule.repository';
import { Timezone } from './timezone';

const HOUR = 3600;
const ALL_YEARS = { from: Date.UTC(1970, 0, 1), to: Date.UTC(2200, 0, 1) };

/** 2026-01-05 is a Monday; nothing happens to Singapore's clocks. */
describe('business hours', () => {
  it.each<[string, string, string, string, number]>([
    ['a span inside an interval', '12345 09:00-18:00', '01-05T10:00', '01-05T12:00', 2],
    ['a span over the end of an interval', '12345 09:00-18:00', '01-05T17:00', '01-05T20:00', 1],
    ['a span over a night', '12345 09:00-18:00', '01-05T17:00', '01-06T10:00', 2],
    ['a span over a weekend', '12345 09:00-18:00', '01-09T17:00', '01-12T10:00', 2],
    ['a span outside of every interval', '12345 09:00-18:00', '01-10T00:00', '01-11T23:00', 0],
    ['whole weeks', '12345 09:00-18:00', '01-05T00:00', '01-26T00:00', 3 * 45],
    ['a span of no length', '12345 09:00-18:00', '01-05T10:00', '01-05T10:00', 0],
    ['a reversed span', '12345 09:00-18:00', '01-05T12:00', '01-05T10:00', 0],
    ['several intervals a day', '1 09:00-12:00, 1 13:00-18:00', '01-05T11:00', '01-05T14:00', 2],
    ['an interval across midnight', '1 22:00-02:00', '01-05T00:00', '01-08T00:00', 4],
    ['its tail is the next date', '1 22:00-02:00', '01-06T00:00', '01-07T00:00', 2],
    ['across the end of the week', '7 22:00-02:00', '01-12T00:00', '01-13T00:00', 2],
    ['up to 24:00', '1 20:00-24:00', '01-05T00:00', '01-12T00:00', 4],
    ['up to 00:00, which is the next day', '1 20:00-00:00', '01-05T00:00', '01-12T00:00', 4],
    ['an end at the start: a whole day', '1 09:00-09:00', '01-05T00:00', '01-12T00:00', 24],
    ['always', '1234567 00:00-24:00', '01-05T00:00', '01-12T00:00', 168],
    ['overlaps count once', '1 09:00-12:00, 1 10:00-14:00, 1 11:00-11:30', '01-05T00:00', '01-06T00:00', 5],
    [
      'overlaps of a night with the next morning count once',
      '1 22:00-09:00, 2 06:00-10:00',
      '01-05T00:00',
      '01-07T00:00',
      12,
    ],
    ['an empty week', '', '01-05T00:00', '12-31T00:00', 0],
  ])('%s', async (_, weekly, from, to, hours) => {
    expect(await secondsInSingapore(schedule(weekly), from, to)).toBe(hours * HOUR);
  });

  it.each<[string, string, string, string, number]>([
    ['no intervals: closed', '2026-01-06', '01-06T02:00', '01-07T12:00', 0],
    ['other intervals', '2026-01-06 10:00-12:00 13:00-14:00', '01-06T02:00', '01-07T00:00', 3],
    [
      'replaces the intervals that start on its date, not the tail of the night before',
      '2026-01-06',
      '01-05T00:00',
      '01-07T00:00',
      4,
    ],
    ['across midnight, into a usual date', '2026-01-05 20:00-05:00', '01-06T00:00', '01-06T12:00', 5],
    ['on a date that is closed otherwise', '2026-01-10 10:00-11:00', '01-10T02:00', '01-11T00:00', 1],
    ['before and after it nothing changes', '2026-01-10 10:00-11:00', '01-05T00:00', '01-19T00:00', 41],
  ])('exceptions: %s', async (_, exception, from, to, hours) => {
    const withException = schedule('12345 22:00-02:00', exception);
    expect(await secondsInSingapore(withException, from, to)).toBe(hours * HOUR);
  });

  it('is rounded down once, at the end', async () => {
    const nights = schedule('12 23:59-00:01');
    expect(await secondsInSingapore(nights, '01-05T23:59:59.600', '01-06T00:00:00.599')).toBe(0);
    expect(await secondsInSingapore(nights, '01-05T23:59:59.600', '01-06T00:00:00.600')).toBe(1);
  });

  it('is evaluated in the requested timezone', async () => {
    const span = ['2026-01-05T00:00:00Z', '2026-01-06T00:00:00Z'] as const;
    expect(await secondsIn('Asia/Singapore', schedule('12345 09:00-18:00'), ...span)).toBe(9 * HOUR);
    expect(await secondsIn('Pacific/Auckland', schedule('2 00:00-13:00'), ...span)).toBe(13 * HOUR);
  });

  /** On 2026-03-08 02:00 becomes 03:00 in New York, on 2026-11-01 02:00 becomes 01:00. Both are Sundays. */
  it.each<[string, string, string, string, number]>([
    ['the day of 23 hours', '2026-03-08', '00:00', '24:00', 23],
    ['the day of 25 hours', '2026-11-01', '00:00', '24:00', 25],
    ['over the gap', '2026-03-08', '01:00', '05:00', 3],
    ['over the hour that occurs twice', '2026-11-01', '00:00', '05:00', 6],
    ['a start in the gap moves forward', '2026-03-08', '02:30', '05:00', 1.5],
    ['an end in the gap moves forward', '2026-03-08', '00:00', '02:30', 2.5],
    ['both in the gap move forward', '2026-03-08', '02:15', '02:45', 0.5],
    ['a start in the gap that moves past the end', '2026-03-08', '02:30', '03:15', 0],
    ['a start that occurs twice is its first occurrence', '2026-11-01', '01:30', '03:00', 2.5],
    ['an end that occurs twice is its first occurrence', '2026-11-01', '00:00', '01:30', 1.5],
    ['a usual day beside it', '2026-03-09', '00:00', '24:00', 24],
  ])('daylight saving: %s', async (_, date, start, end, hours) => {
    const onDate = schedule('', `${date} ${start}-${end}`);
    expect(await secondsIn('America/New_York', onDate, '2026-01-01T00:00Z', '2027-01-01T00:00Z')).toBe(
      hours * HOUR,
    );
  });

  it('an overnight interval of the weekly schedule over a change of the clocks', async () => {
    const nights = schedule('6 22:00-06:00');
    expect(await secondsIn('America/New_York', nights, '2026-03-07T00:00Z', '2026-03-10T00:00Z')).toBe(
      7 * HOUR,
    );
    expect(await secondsIn('America/New_York', nights, '2026-10-31T00:00Z', '2026-11-03T00:00Z')).toBe(
      9 * HOUR,
    );
  });

  it('a date that the zone skipped has no intervals', async () => {
    const friday = schedule('5 09:00-17:00');
    expect(await secondsIn('Pacific/Apia', friday, '2011-12-25T00:00Z', '2012-01-05T00:00Z')).toBe(0);
  });

  it('a midnight that occurs twice: the clocks show the old date again, which is over', async () => {
    const closingNight = schedule('6 20:00-24:00');
    expect(await secondsIn('America/Sao_Paulo', closingNight, '2018-02-17T12:00Z', '2018-02-19T00:00Z')).toBe(
      5 * HOUR,
    );
    const opening = schedule('7 00:00-01:00');
    expect(await secondsIn('America/Havana', opening, '2026-10-31T12:00Z', '2026-11-02T00:00Z')).toBe(
      2 * HOUR,
    );
    // At 00:01 the clocks of St. John's were set back to 23:01.
    expect(await secondsIn('America/St_Johns', opening, '2010-11-07T02:30Z', '2010-11-07T03:00Z')).toBe(
      0.5 * HOUR,
    );
  });
});

describe('many years', () => {
  it('are worked out one at a time: twenty new timezones at once let others be served after each year', async () => {
    const names = Intl.supportedValuesOf('timeZone').filter((_, place) => place % 7 === 3);
    const years = businessYears();
    let served = 0;
    let next = setImmediate(function serve() {
      served += 1;
      next = setImmediate(serve);
    });
    const spentMs = await processorMsOf(() =>
      Promise.all(
        names.slice(0, 20).map((name) => {
          const span = { from: Date.UTC(2024, 0, 1), to: Date.UTC(2026, 0, 1) };
          return calendarIn(name, worstSchedule(), years).secondsOf([span]);
        }),
      ),
    );
    clearImmediate(next);
    expect(served).toBeGreaterThanOrEqual(20 * 3);
    // A year takes about 2 ms: 50 are what a request may hold the process for.
    expect(spentMs / (20 * 3)).toBeLessThan(50);
  });

  it('of several timezones at once, more than are held, are those of each alone', async () => {
    const names = ['UTC', 'Africa/Casablanca'];
    const secondsOf = (name: string, held?: ReturnType<typeof businessYears>) =>
      calendarIn(name, worstSchedule(), held).secondsOf([ALL_YEARS, ALL_YEARS]);
    const years = businessYears();
    const together = await Promise.all(names.map((name) => secondsOf(name, years)));
    for (const [place, name] of names.entries()) expect(together[place]).toEqual(await secondsOf(name));
  });

  it('are not computed any more when nobody waits for them', async () => {
    const years = businessYears();
    const stop = new AbortController();
    const asked = calendarIn('UTC', worstSchedule(), years).secondsOf([ALL_YEARS], stop.signal);
    setImmediate(() => stop.abort(new Error('the request is over')));
    await expect(asked).rejects.toThrow('the request is over');
    expect(years.has(`2199 1 UTC`)).toBe(false);
  });

  it.each([
    ['UTC', '1970-01-01T00:00Z', '2200-01-01T00:00Z', Date.UTC(2200, 0, 1) / 1000],
    ['Pacific/Kiritimati', '2199-12-31T00:00Z', '2200-01-01T00:00Z', 24 * HOUR],
    ['America/New_York', '1970-01-01T00:00Z', '1970-01-02T00:00Z', 24 * HOUR],
    ['UTC', '1969-12-31T23:59:59.999Z', '2026-01-01T00:00Z', null],
    ['UTC', '2026-01-01T00:00Z', '2200-01-01T00:00:00.001Z', null],
    ['UTC', '0001-01-01T00:00Z', '0001-01-01T00:00Z', null],
  ])('are counted from 1970 to 2199, in UTC: %s, %s to %s', async (zone, from, to, seconds) => {
    expect(await secondsIn(zone, schedule('1234567 00:00-24:00'), from, to)).toBe(seconds);
  });

  it('all years of the largest schedule are held at once', async () => {
    const calendar = calendarIn('Asia/Singapore', worstSchedule());
    const first = await processorMsOf(() => calendar.secondsOf([ALL_YEARS]));
    const again = await processorMsOf(async () => {
      for (let time = 0; time < 100; time += 1) await calendar.secondsOf([ALL_YEARS]);
    });
    // To work out the years again would take 100 times as long.
    expect(again).toBeLessThan(10 * first);
  });
});

/** @param weekly `12345 09:00-12:00, 6 10:00-11:00`; the week starts on Monday; @param exception `2026-01-06 10:00-12:00` */
function schedule(weekly: string, exception?: string): HumanSchedule {
  const intervalOf = (text: string) => ({ start: text.slice(0, 5), end: text.slice(6) });
  const [date, ...intervals] = exception?.split(' ') ?? [];
  return {
    weekly: weekly.split(', ').flatMap((text) => {
      const [days, interval] = text.split(' ');
      return [...days!].map((day) => ({ weekday: Number(day), ...intervalOf(interval!) }));
    }),
    exceptions: date === undefined ? [] : [{ date, intervals: intervals.map(intervalOf) }],
  };
}

function calendarIn(timezone: string, given: HumanSchedule, years = businessYears()): BusinessCalendar {
  return new BusinessCalendar('1', new ScheduleDates(given), Timezone.named(timezone)!, years);
}

async function secondsIn(timezone: string, given: HumanSchedule, from: string, to: string) {
  const span = { from: Date.parse(from), to: Date.parse(to) };
  return (await calendarIn(timezone, given).secondsOf([span]))[0];
}

function secondsInSingapore(given: HumanSchedule, from: string, to: string) {
  return secondsIn('Asia/Singapore', given, `2026-${from}+08:00`, `2026-${to}+08:00`);
}

async function processorMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * The largest legal schedule: a record has at most 20,000 values, of which an exception takes three and an interval three. No
 * interval meets another one.
 */
function worstSchedule(): HumanSchedule {
  return {
    weekly: Array.from({ length: 200 }, (_, place) => ({ weekday: 7, ...minuteOf(place * 5) })),
    exceptions: Array.from({ length: 2_000 }, (_, place) => ({
      // The day after each is a Sunday.
      date: new Date(Date.UTC(1990, 0, 6) + place * 7 * DAY).toISOString().slice(0, 10),
      intervals: Array.from({ length: 2 }, (_, each) => minuteOf(each * 5)),
    })),
  };
}

/** Two minutes of the day, from one of them. */
function minuteOf(minute: number): ScheduleInterval {
  return { start: wallTime(minute), end: wallTime(minute + 2) };
}

function wallTime(minute: number): string {
  return new Date(minute * 60_000).toISOString().slice(11, 16);
}
