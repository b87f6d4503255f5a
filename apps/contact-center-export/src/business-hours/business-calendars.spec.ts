import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { BusinessCalendars } from './business-calendar';
import { HumanScheduleRepository } from './human-schedule.repository';
import { Timezone } from './timezone';

const singapore = Timezone.named('Asia/Singapore')!;
const paris = Timezone.named('Europe/Paris')!;
const closed = { weekly: [], exceptions: [] };

describe('business calendars', () => {
  let database: ContactCenterDatabase;
  let schedules: HumanScheduleRepository;
  let calendars: BusinessCalendars;

  beforeAll(async () => {
    database = await createContactCenterDatabase();
    schedules = new HumanScheduleRepository(database.dataSource.manager);
  });
  beforeEach(() => {
    calendars = new BusinessCalendars(schedules);
  });
  afterAll(() => database.drop());

  it('are found by the version of their schedule without a query', async () => {
    await schedules.store('known', closed);
    const { version } = (await schedules.find('known'))!;
    await calendars.ofOrganization('known', singapore);
    const always = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, start: '00:00', end: '24:00' }));
    await schedules.store('known', { ...closed, weekly: always });
    const span = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 0, 2) };
    const before = await calendars.ofVersion('known', version, paris);
    expect(await before!.secondsOf([span])).toEqual([0]);
    const after = await calendars.ofOrganization('known', paris);
    expect(await after!.secondsOf([span])).toEqual([24 * 3600]);
  });

  it('do not exist for an organization without a schedule', async () => {
    expect(await calendars.ofOrganization('none', singapore)).toBeUndefined();
    expect(await calendars.ofVersion('none', null, singapore)).toBeUndefined();
  });
});
