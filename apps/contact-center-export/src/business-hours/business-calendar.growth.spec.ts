import { worstSchedule } from '../../test/builders/schedules';
import { MOST_GROWTH_OF_16N, processorTimeOf } from '../../test/processor-time';
import { BusinessCalendar } from './business-calendar';
import type { HumanSchedule } from './human-schedule';
import { ScheduleDays } from './schedule-days';
import { Timezone } from './timezone';

const DAY = 24 * 60 * 60 * 1000;
const YEARS = [Date.UTC(1971, 0, 1), Date.UTC(2099, 0, 1)] as const;
const ZONE = 'America/New_York';

describe('the cost of business hours', () => {
  beforeAll(() => {
    // What the platform is asked about the zone does not depend on the schedule.
    Timezone.named(ZONE)!.transitionsBetween(...YEARS);
  });

  it.each<[string, (schedule: HumanSchedule) => void]>([
    ['to work a schedule out', (schedule) => void new ScheduleDays(schedule)],
    [
      'of the first span in a timezone, over all years',
      (schedule) => void calendarOf(schedule).secondsBetween(...YEARS),
    ],
    [
      'of a thousand spans on the fullest dates',
      (schedule) => {
        const calendar = calendarOf(schedule);
        for (let place = 0; place < 1_000; place++) {
          const at = Date.UTC(1990, 0, 7) + place * 7 * DAY;
          calendar.secondsBetween(at, at + DAY - 1);
        }
      },
    ],
  ])('%s grows in proportion to n·log n', (_, work) => {
    const [few, many] = [worstSchedule(16), worstSchedule()];
    for (let run = 0; run < 3; run++) work(few);
    expect(processorTimeOf(() => work(many)) / processorTimeOf(() => work(few))).toBeLessThan(
      MOST_GROWTH_OF_16N,
    );
  });
});

describe('the first span of a timezone over all years', () => {
  it('is worked out in turns, some years at a time', async () => {
    const zone = Timezone.named('Africa/Casablanca')!;
    const calendar = new BusinessCalendar(new ScheduleDays(worstSchedule()), zone);
    let served = 0;
    const serve = () => {
      served += 1;
      next = setImmediate(serve);
    };
    let next = setImmediate(serve);
    await calendar.prepare(...YEARS);
    clearImmediate(next);
    expect(served).toBeGreaterThan(1);
    expect([...zone.unknownBetween(...YEARS)]).toEqual([]);
    const unprepared = new BusinessCalendar(new ScheduleDays(worstSchedule()), zone);
    expect(calendar.secondsBetween(...YEARS)).toBe(unprepared.secondsBetween(...YEARS));
  });

  it('asks about at most two periods of eight years at once, from any of them on', () => {
    const zone = Timezone.named('Africa/El_Aaiun')!;
    zone.transitionsBetween(Date.UTC(2020, 0, 1), Date.UTC(2021, 0, 1));
    let known = 0;
    for (const [from, to] of zone.unknownBetween(...YEARS)) {
      const transitions = zone.transitionsBetween(from, to);
      const years = (transitions.to - transitions.from) / (365 * DAY);
      expect(years - known).toBeLessThanOrEqual(known === 0 ? 24.1 : 16.1);
      known = years;
    }
    expect(known).toBeGreaterThan(128);
  });
});

function calendarOf(schedule: HumanSchedule): BusinessCalendar {
  return new BusinessCalendar(new ScheduleDays(schedule), Timezone.named(ZONE)!);
}
