import { type ContactCenterDatabase, createContactCenterDatabase } from '../../test/contact-center-database';
import { BusinessCalendars } from './business-calendars';
import { HumanScheduleRepository } from './human-schedule.repository';
import { Timezone } from './timezone';
import { minuteOf, worstSchedule } from '../../test/builders/schedules';

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

  it('are cached by schedule and timezone', async () => {
    await schedules.store('one', closed);
    await schedules.store('other', closed);
    const cached = await calendars.ofOrganization('one', singapore);
    expect(cached).toBeDefined();
    expect(await calendars.ofOrganization('one', singapore)).toBe(cached);
    expect(await calendars.ofOrganization('one', paris)).not.toBe(cached);
    expect(await calendars.ofOrganization('other', singapore)).not.toBe(cached);
  });

  it('are found by the version of their schedule without a query', async () => {
    await schedules.store('known', closed);
    const { version } = (await schedules.find('known'))!;
    const cached = await calendars.ofOrganization('known', singapore);
    await schedules.store('known', { ...closed, weekly: [{ weekday: 1, start: '08:00', end: '09:00' }] });
    expect(await calendars.ofVersion('known', version, singapore)).toBe(cached);
  });

  it('do not exist for an organization without a schedule', async () => {
    expect(await calendars.ofOrganization('none', singapore)).toBeUndefined();
    expect(await calendars.ofVersion('none', null, singapore)).toBeUndefined();
  });

  it('are bounded by their intervals: those that were not used for longest make room', async () => {
    await schedules.store('busy', closed);
    await schedules.store('idle', closed);
    const [busy, idle] = await Promise.all(
      ['busy', 'idle'].map((organization) => calendars.ofOrganization(organization, singapore)),
    );
    for (let number = 0; number < 20; number++) {
      await schedules.store('many', { ...worstSchedule(), weekly: [{ weekday: 1, ...minuteOf(number) }] });
      await calendars.ofOrganization('many', singapore);
      await calendars.ofOrganization('busy', singapore);
    }
    expect(await calendars.ofOrganization('busy', singapore)).toBe(busy);
    expect(await calendars.ofOrganization('idle', singapore)).not.toBe(idle);
  });

  it('of a schedule are made in any timezone without reading or working it out again', async () => {
    await schedules.store('travelling', worstSchedule());
    const { version } = (await schedules.find('travelling'))!;
    await calendars.ofVersion('travelling', version, singapore);
    const find = jest.spyOn(schedules, 'find');
    for (const name of ['Europe/Paris', 'America/New_York', 'Asia/Ho_Chi_Minh']) {
      const timezone = Timezone.named(name)!;
      expect(await calendars.ofVersion('travelling', version, timezone)).toBeDefined();
    }
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });
});
