import { RecordCheck } from '@cxp/platform-records';
import { recordAreas } from '@cxp/services/areas';
import { demoRecords, type DemoRecord } from './demo-data';
import { lastWeek } from './last-week';

const NOW = new Date('2026-11-26T09:30:00.000Z');
const { contactCenter, survey } = demoRecords(NOW);
const ofType = (type: string, records: readonly DemoRecord[] = contactCenter) =>
  records.filter((record) => record.type === type).map(({ data }) => data as Record<string, string>);

it('holds four weeks of conversations and responses until now', () => {
  expect(ofType('conversation').length).toBeGreaterThan(350);
  expect(survey.length).toBeGreaterThan(250);
  const days = new Set(ofType('conversation').map(({ createdAt }) => createdAt!.slice(0, 10)));
  expect(days.size).toBeGreaterThanOrEqual(28);
  const times = JSON.stringify([contactCenter.slice(1), survey]).matchAll(
    /"\w+(?:At|_timestamp)":"([^"]+)"/g,
  );
  expect(Array.from(times, ([, time]) => time!).filter((time) => time > NOW.toISOString())).toEqual([]);
});

it('has five agents, and two holidays in four weeks', () => {
  const agents = contactCenter.flatMap(({ data }) => (data.agent as { email: string } | null)?.email ?? []);
  expect(new Set(agents).size).toBe(5);
  const { exceptions } = ofType('human_schedule')[0] as unknown as { exceptions: { date: string }[] };
  const first = new Date(NOW.getTime() - 28 * 86_400_000).toISOString().slice(0, 10);
  expect(exceptions.filter(({ date }) => date > first && date <= '2026-11-26')).toHaveLength(2);
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
