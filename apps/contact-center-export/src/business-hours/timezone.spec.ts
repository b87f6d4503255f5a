import { DAY_MS } from '@cxp/storage';
import { Timezone } from './timezone';

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
