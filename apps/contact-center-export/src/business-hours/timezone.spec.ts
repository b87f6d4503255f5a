import { DAY_MS, Timezone } from './timezone';

describe('timezones are IANA names without case, no offsets', () => {
  it.each([
    'Asia/Singapore',
    'asia/singapore',
    'ASIA/HO_CHI_MINH',
    'UTC',
    'Etc/GMT+8',
    'EST5EDT',
    'Asia/Kolkata',
    'gmt',
    'GMT0',
  ])('%s is one', (name) => expect(Timezone.named(name)).not.toBeNull());

  it.each([
    '',
    ' ',
    '+08:00',
    '-0500',
    'GMT+8',
    'UTC+8',
    'Mars/Olympus',
    'PST',
    'JST',
    'SystemV/PST8',
    'Asia/Singapore ',
    'Z',
    'null',
  ])('%j is none', (name) => expect(Timezone.named(name)).toBeNull());

  it('one name is made once, whatever its case', () => {
    expect(Timezone.named('Europe/Paris')).toBe(Timezone.named('europe/PARIS'));
  });

  it.each([
    ['asia/ho_chi_minh', 'Asia/Ho_Chi_Minh', 'Asia/Saigon'],
    ['ASIA/SAIGON', 'Asia/Saigon', 'Asia/Saigon'],
    ['us/east-indiana', 'US/East-Indiana', 'America/Indianapolis'],
    ['etc/gmt+8', 'Etc/GMT+8', 'Etc/GMT+8'],
    ['africa/dar_es_salaam', 'Africa/Dar_es_Salaam', 'Africa/Dar_es_Salaam'],
    ['utc', 'UTC', 'UTC'],
  ])('%s is named %s, and is the zone %s', (asked, name, zone) => {
    expect(Timezone.named(asked)).toMatchObject({ name, zone });
  });
});

describe('offsetAt', () => {
  it.each([
    ['Asia/Singapore', '2026-01-05T00:00:00Z', 480],
    ['Asia/Kathmandu', '2026-01-05T00:00:00Z', 345],
    ['America/New_York', '2026-03-08T06:59:59.999Z', -300],
    ['America/New_York', '2026-03-08T07:00:00Z', -240],
    ['America/New_York', '2026-11-01T05:59:59.999Z', -240],
    ['America/New_York', '2026-11-01T06:00:00Z', -300],
    ['America/New_York', '2199-07-01T00:00:00Z', -240],
    ['Australia/Lord_Howe', '2026-01-05T00:00:00Z', 660],
    ['Australia/Lord_Howe', '2026-07-05T00:00:00Z', 630],
    ['Africa/Casablanca', '2026-03-01T12:00:00Z', 0],
    ['Africa/Casablanca', '2026-06-01T12:00:00Z', 60],
    ['Africa/Monrovia', '1970-01-01T00:00:00Z', -44.5],
    ['UTC', '2026-01-05T00:00:00Z', 0],
  ])('%s at %s is %d minutes', (name, instant, minutes) => {
    expect(Timezone.named(name)!.offsetAt(Date.parse(instant)) / 60_000).toBe(minutes);
  });
});

describe('instantOf', () => {
  it.each([
    ['a usual wall time', 'America/New_York', '2026-01-05T09:00', '2026-01-05T14:00:00.000Z'],
    [
      'a wall time in a gap moves forward by its length',
      'America/New_York',
      '2026-03-08T02:30',
      '2026-03-08T07:30:00.000Z',
    ],
    ['the start of a gap', 'America/New_York', '2026-03-08T02:00', '2026-03-08T07:00:00.000Z'],
    ['the end of a gap', 'America/New_York', '2026-03-08T03:00', '2026-03-08T07:00:00.000Z'],
    [
      'a wall time that occurs twice is its first occurrence',
      'America/New_York',
      '2026-11-01T01:30',
      '2026-11-01T05:30:00.000Z',
    ],
    [
      'the first wall time that occurs once again',
      'America/New_York',
      '2026-11-01T02:00',
      '2026-11-01T07:00:00.000Z',
    ],
    ['a gap of half an hour', 'Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:45:00.000Z'],
    ['half an hour that occurs twice', 'Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z'],
  ])('%s', (_, name, wallTime, expected) => {
    const instant = Timezone.named(name)!.instantOf(Date.parse(`${wallTime}Z`));
    expect(new Date(instant).toISOString()).toBe(expected);
  });
});

describe('a day starts at its first instant', () => {
  it.each([
    ['at midnight', 'Asia/Singapore', '2026-01-05', '2026-01-04T16:00:00.000Z'],
    ['in a zone of three quarters of an hour', 'Asia/Kathmandu', '2026-01-05', '2026-01-04T18:15:00.000Z'],
    ['after a day of 23 hours', 'America/New_York', '2026-03-09', '2026-03-09T04:00:00.000Z'],
    ['after a day of 25 hours', 'America/New_York', '2026-11-02', '2026-11-02T05:00:00.000Z'],
    ['after a change by half an hour', 'Australia/Lord_Howe', '2026-04-06', '2026-04-05T13:30:00.000Z'],
    ['at one where midnight is skipped', 'America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00.000Z'],
    [
      'at the first midnight where it occurs twice',
      'America/Havana',
      '2026-11-01',
      '2026-11-01T04:00:00.000Z',
    ],
    [
      'after the hour before it that occurs twice',
      'America/Sao_Paulo',
      '2018-02-18',
      '2018-02-18T03:00:00.000Z',
    ],
    ['with the next where the zone skipped it', 'Pacific/Apia', '2011-12-30', '2011-12-30T10:00:00.000Z'],
    ['of the date after the skipped one', 'Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00.000Z'],
  ])('%s', (_, name, date, expected) => {
    const start = Timezone.named(name)!.startOf(Date.parse(date) / DAY_MS);
    expect(new Date(start).toISOString()).toBe(expected);
  });
});
