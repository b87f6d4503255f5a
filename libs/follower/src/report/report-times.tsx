import { DAY_MS, daysIn } from '../days';
import { Bars, Chart, Heat, LyingBars } from './charts';
import { duration } from './explanation';
import { type ReportPeriod, waitBounds } from './report-queries';
import {
  type ConversationAnswers,
  counted,
  DATE_LABELS,
  dateText,
  NIGHTS_INCLUDED,
  percent,
  type Row,
  textOf,
} from './report-values';

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const NONE = { sessions: 0, met: 0, missed: 0, without_wait: 0, wait_share_met: null };

/** The first days of the units that the period touches, since 1970. */
function unitsOf({ startDate, unit, ...period }: ReportPeriod): number[] {
  const first = Date.parse(startDate) / DAY_MS;
  const days = Array.from({ length: daysIn({ startDate, ...period }) }, (_, index) => first + index);
  const starts = days.map((day) => {
    if (unit === 'week') return day - ((day + 3) % 7);
    return unit === 'day'
      ? day
      : Date.parse(`${new Date(day * DAY_MS).toISOString().slice(0, 7)}-01`) / DAY_MS;
  });
  return [...new Set(starts)];
}

export function Days({ answers, period }: { answers: ConversationAnswers; period: ReportPeriod }) {
  const target = duration(period.targetSeconds);
  const shareOf = (row: Row) => textOf(row.wait_share_met, percent);
  const labelOf = (row: Row) => dateText(Number(row.day) * DAY_MS, DATE_LABELS[period.unit]);
  const days = unitsOf(period).map(
    (day) =>
      answers.targets.find((row) => row.is_now && row.day !== null && Number(row.day) === day) ?? {
        day,
        ...NONE,
      },
  );
  return (
    <Chart
      title={`Sessions by the ${period.unit} an agent took them`}
      sentence={
        <>
          <span class="key met">waited at most {target}</span> <span class="key late">waited longer</span>{' '}
          <span class="key none">without a wait</span> In bold: the share that waited at most {target},{' '}
          {NIGHTS_INCLUDED}.
        </>
      }
      head={['Day', 'Sessions', `At most ${target}`, 'Longer', 'Without a wait', 'Share in time']}
      rows={days.map((row) => [
        labelOf(row),
        ...[row.sessions, row.met, row.missed, row.without_wait].map(Number),
        shareOf(row),
      ])}
    >
      <Bars
        bars={days.map((row) => ({
          label: labelOf(row),
          note: shareOf(row),
          parts: [
            ['met', Number(row.met)],
            ['late', Number(row.missed)],
            ['none', Number(row.without_wait)],
          ],
        }))}
      />
    </Chart>
  );
}

export function Hours({ answers, target }: { answers: ConversationAnswers; target: string }) {
  const at = new Map(answers.hours.map((row) => [`${row.weekday} ${row.hour}`, row]));
  const valueOf = (column: string) => (row: number, hour: number) =>
    Number(at.get(`${row + 1} ${hour}`)?.[column] ?? 0);
  const busiest = (column: string) => {
    const most = answers.hours.reduce(
      (best, row) => (Number(row[column]) > Number(best[column]) ? row : best),
      answers.hours[0]!,
    );
    if (Number(most[column]) === 0) return 'None';
    return `Most on ${WEEKDAYS[Number(most.weekday) - 1]} from ${most.hour}:00: ${counted(Number(most[column]))}`;
  };
  const started = answers.hours.map(({ hour }) => Number(hour));
  const columns = Math.max(10, Math.max(...started) - Math.min(...started) + 1);
  const from = Math.min(Math.min(...started), 24 - columns);
  const chart = (title: string, column: string, clock = '') => (
    <Chart
      title={title}
      sentence={`${busiest(column)}${clock}`}
      head={['Hour', ...WEEKDAYS]}
      rows={Array.from({ length: 24 }, (_, hour) => [
        `${hour}:00`,
        ...WEEKDAYS.map((_day, row) => valueOf(column)(row, hour)),
      ])}
    >
      <Heat
        rows={WEEKDAYS}
        from={from}
        columns={columns}
        valueAt={valueOf(column)}
        isLate={column === 'late'}
      />
    </Chart>
  );
  return (
    <>
      {chart('Sessions by the hour an agent took them', 'sessions')}
      {chart(`Of these, waited longer than ${target}`, 'late', `, ${NIGHTS_INCLUDED}`)}
    </>
  );
}

/** For instance `2–5 min`; the last range has no end. */
function rangeOf(from: number, to: number | undefined): string {
  const end = to ?? from;
  const [size, unit] = end < 120 ? [1, 's'] : end < 7_200 ? [60, 'min'] : [3_600, 'h'];
  const [low, high] = [from, end].map((seconds) => String(Math.round((seconds / size) * 10) / 10));
  return to === undefined ? `over ${high}\u00a0${unit}` : `${low}–${high}\u00a0${unit}`;
}

export function Waits({ answers, period }: { answers: ConversationAnswers; period: ReportPeriod }) {
  const bounds = waitBounds(period.targetSeconds);
  const at = new Map(answers.waits.map((row) => [Number(row.bucket), Number(row.sessions)]));
  const target = bounds.indexOf(period.targetSeconds);
  const bars = [...bounds, undefined].map((bound, place) => ({
    label: rangeOf(bounds[place - 1] ?? 0, bound),
    value: at.get(place) ?? 0,
    kind: place > target ? ('late' as const) : ('met' as const),
  }));
  return (
    <Chart
      title="How long customers waited"
      sentence={`Sessions by their wait, ${NIGHTS_INCLUDED}.`}
      head={['Wait', 'Sessions']}
      rows={bars.map(({ label, value }) => [label, value])}
    >
      <LyingBars
        bars={bars}
        line={{ before: target + 1, label: `target: ${duration(period.targetSeconds)}` }}
      />
    </Chart>
  );
}
