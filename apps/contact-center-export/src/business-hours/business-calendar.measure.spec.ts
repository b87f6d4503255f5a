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

function calendarOf(schedule: HumanSchedule): BusinessCalendar {
  return new BusinessCalendar(new ScheduleDays(schedule), Timezone.named(ZONE)!);
}
