import { BusinessCalendars } from './business-calendars';
import { Timezone } from './timezone';

const schedule = { weekly: [], exceptions: [] };
const singapore = Timezone.named('Asia/Singapore')!;
const paris = Timezone.named('Europe/Paris')!;

describe('calendars that were worked out', () => {
  it('are kept per version of the schedule and timezone', () => {
    const calendars = new BusinessCalendars();
    const kept = calendars.of('1', schedule, singapore);
    expect(calendars.of('1', schedule, singapore)).toBe(kept);
    expect(calendars.of('2', schedule, singapore)).not.toBe(kept);
    expect(calendars.of('1', schedule, paris)).not.toBe(kept);
  });

  it('are let go when there are too many, the one that was not used for longest first', () => {
    const calendars = new BusinessCalendars(2);
    const [first, second] = ['1', '2'].map((version) => calendars.of(version, schedule, singapore));
    calendars.of('1', schedule, singapore);
    calendars.of('3', schedule, singapore);
    expect(calendars.of('1', schedule, singapore)).toBe(first);
    expect(calendars.of('2', schedule, singapore)).not.toBe(second);
  });
});
