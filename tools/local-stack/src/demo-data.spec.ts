import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecordCheck } from '@cxp/records';
import { recordAreas } from '@cxp/areas/wiring';
import { demoRecords, type DemoRecord, isHoliday } from './demo-data';
import { dateOf, DAY, lastWeek } from './last-week';

const NOW = new Date('2026-11-26T09:30:00.000Z');
const { contactCenter, survey } = demoRecords(NOW);
const ofType = (type: string, records: readonly DemoRecord[] = contactCenter) =>
  records.filter((record) => record.type === type).map(({ data }) => data as Record<string, string>);

it('holds four weeks of conversations and responses until now', () => {
  expect(ofType('conversation').length).toBeGreaterThan(350);
  expect(survey.length).toBeGreaterThan(250);
  const days = new Set(ofType('conversation').map(({ createdAt }) => createdAt!.slice(0, 10)));
  expect(days.size).toBeGreaterThanOrEqual(28);
  const times = JSON.stringify([contactCenter, survey]).matchAll(/"\w+(?:At|_timestamp)":"([^"]+)"/g);
  expect(Array.from(times, ([, time]) => time!).filter((time) => time > NOW.toISOString())).toEqual([]);
});

it('has five agents', () => {
  const agents = contactCenter.flatMap(({ data }) => (data.agent as { email: string } | null)?.email ?? []);
  expect(new Set(agents).size).toBe(5);
});

it('has the holidays of the schedule, two in any four weeks', () => {
  const [line] = readFileSync(join(__dirname, '../demo/contact-center.ndjson'), 'utf8').split('\n');
  const { data } = JSON.parse(line!) as { data: { exceptions: { date: string }[] } };
  const dates = data.exceptions.map(({ date }) => date);
  const start = Date.parse('2026-01-02') / DAY;
  const days = Array.from({ length: 3 * 365 - 1 }, (_, index) => start + index);
  expect(days.filter((day) => isHoliday(day) !== dates.includes(dateOf(day)))).toEqual([]);
  expect(days.slice(0, 28).filter(isHoliday)).toHaveLength(2);
});

it('adds a day if it is made again tomorrow, and changes none that was over', () => {
  const tomorrow = demoRecords(new Date(NOW.getTime() + 86_400_000));
  const known = new Set(tomorrow.contactCenter.map((record) => JSON.stringify(record)));
  const gone = contactCenter.filter((record) => !known.has(JSON.stringify(record)));
  const isOfAnEnd = (day: string) => ['2026-10-30', '2026-11-26'].includes(day);
  const days = gone.map(({ data }) => ((data.conversationId ?? data.id) as string).slice(0, 10));
  expect(days.filter((day) => !isOfAnEnd(day))).toEqual([]);
});

it.each(recordAreas.filter(({ name }) => name !== 'webchat'))(
  'has sound records of $name',
  ({ name, types }) => {
    const check = new RecordCheck(types);
    const records = name === 'survey' ? survey : contactCenter;
    expect(records.map((record) => check.check(record)).filter((result) => 'problems' in result)).toEqual([]);
  },
);

it.each([
  ['2026-11-26T09:30:00.000Z', '2026-11-16', '2026-11-22'],
  ['2026-11-29T15:59:59.999Z', '2026-11-16', '2026-11-22'],
  ['2026-11-29T16:00:00.000Z', '2026-11-23', '2026-11-29'],
])('last week, asked at %s, is from %s to %s', (now, monday, sunday) => {
  expect(lastWeek(new Date(now))).toEqual({ monday, sunday });
});
