import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { SURVEY_VIEWS } from '../survey-views';
import { VIEWS } from '../views';
import { clockOf, duration } from './explanation';
import type { ReportPeriod } from './report-queries';
import { REPORT_STYLE } from './report-style';
import { Surveys } from './report-surveys';
import { Agents, Longest } from './report-tables';
import { Days, Hours, Waits } from './report-times';
import {
  type ConversationAnswers,
  counted,
  daysIn,
  longDate,
  numberOf,
  percent,
  type Report,
  type Row,
} from './report-values';

function periodBefore(period: ReportPeriod): string {
  const days = daysIn(period);
  return days === 7 ? 'the week before' : days === 1 ? 'the day before' : `the ${counted(days)} days before`;
}

/** The page: complete in itself, without a script. */
export function renderReport(report: Report): string {
  const { period, organization, conversations, surveys } = report;
  const rows = [
    ...(conversations?.tiles ?? []).filter(({ is_now: isNow, sessions }) => isNow && Number(sessions) > 0),
  ];
  const isEmpty = rows.length === 0 && (surveys?.campaigns.length ?? 0) === 0;
  const title = `${longDate(period.startDate)} to ${longDate(period.endDate)}`;
  const hours = report.hasSchedule
    ? ` · business hours of ${period.timezone}`
    : ' · no business hours are known: times are those of the calendar';
  const checked =
    report.checkedAt === null
      ? 'not checked yet'
      : `copy checked ${clockOf(period.timezone, false)(report.checkedAt)}`;
  const page = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"
        />
        <meta name="color-scheme" content="light dark" />
        <link rel="icon" href="data:," />
        <title>{`${organization}: ${title}`}</title>
        <style dangerouslySetInnerHTML={{ __html: REPORT_STYLE }} />
      </head>
      <body>
        <main>
          <header>
            <h1>{isEmpty ? 'No sessions and no answers in this period' : headline(report)}</h1>
            <p class="meta">
              <bdi>{organization}</bdi> · {title}, beside {longDate(period.beforeStart)} to{' '}
              {longDate(period.beforeEnd)} · {period.timezone}
              {conversations ? hours : ''} · {checked}, at change {counted(report.change)}
            </p>
          </header>
          {rows.length > 0 && <Conversations report={report} answers={conversations!} />}
          {conversations && rows.length === 0 && !isEmpty && (
            <p class="meta">No session started in this period.</p>
          )}
          {surveys && surveys.campaigns.length > 0 && <Surveys answers={surveys} />}
          {!isEmpty && <Sentences schema={report.schema} />}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}\n`;
}

function headline({ conversations, period }: Report): ComponentChildren {
  if (!conversations) return 'What customers answered';
  const [now, before] = [true, false].map((isNow) =>
    numberOf(conversations.targets.find((row) => row.is_now === isNow && row.day === null)?.wait_share_met),
  ) as [number | null, number | null];
  const target = duration(period.targetSeconds);
  if (now === null) return `No wait could be measured against the target of ${target}`;
  const said = `${percent(now)} of the answered customers waited at most ${target}`;
  if (before === null) return said;
  const verdict = verdictOf(now, before, percent, true);
  const than = `${periodBefore(period)} (${percent(before)})`;
  if (verdict === undefined) return `${said}, as ${than}`;
  return (
    <>
      {said}, <span class={verdict === 'worse' ? 'accent' : undefined}>{verdict}</span> than {than}
    </>
  );
}

/** Of two figures that are not shown alike. */
function verdictOf(now: number, before: number, shown: (value: number) => string, isMoreBetter: boolean) {
  if (shown(now) === shown(before)) return undefined;
  return now > before === isMoreBetter ? 'better' : 'worse';
}

interface TileProps {
  readonly name: string;
  readonly now: number | null;
  readonly before: number | null;
  readonly shown: (value: number) => string;
  /** Whether more is better; undefined: neither is. */
  readonly isMoreBetter?: boolean;
  readonly about?: string;
}

function Tile({ name, now, before, shown, isMoreBetter, about }: TileProps): JSX.Element {
  const verdict =
    now === null || before === null || isMoreBetter === undefined
      ? undefined
      : verdictOf(now, before, shown, isMoreBetter);
  return (
    <div>
      <dt>{name}</dt>
      <dd class="now">{now === null ? '—' : shown(now)}</dd>
      <dd>
        {verdict ? <b class={verdict === 'worse' ? 'late' : undefined}>{verdict} than</b> : 'before:'}{' '}
        <span class="whole">{before === null ? '—' : shown(before)}</span>
      </dd>
      {about && <dd>{about}</dd>}
    </div>
  );
}

function Conversations({ report, answers }: { report: Report; answers: ConversationAnswers }) {
  const { period, hasSchedule } = report;
  const target = duration(period.targetSeconds);
  const [now, before] = [true, false].map((isNow) => ({
    ...answers.tiles.find((row) => row.is_now === isNow),
    ...answers.targets.find((row) => row.is_now === isNow && row.day === null),
  })) as [Row, Row];
  const hours = hasSchedule ? '_business_hours' : '';
  const inHours = hasSchedule ? ' in business hours' : '';
  const [wait, first] = [`wait_time${hours}_seconds`, `first_response_time${hours}_seconds`];
  const without = (name: string) => {
    const missing = Number(now[`${name}_missing`]);
    return missing > 0 ? `${counted(missing)} sessions without the figure` : undefined;
  };
  const tile = (
    name: string,
    column: string,
    shown: TileProps['shown'],
    isMoreBetter?: boolean,
    about?: string,
  ) => (
    <Tile
      {...{ name, shown, isMoreBetter, about }}
      now={numberOf(now[column])}
      before={numberOf(before[column])}
    />
  );
  const ratings = Number(now.ratings);
  return (
    <>
      <dl class="tiles">
        {tile(
          `Waited at most ${target}`,
          'wait_share_met',
          percent,
          true,
          `${counted(Number(now.missed))} waited longer; nights and holidays count`,
        )}
        {tile(`Median wait${inHours}`, `${wait}_median`, duration, false, without(wait))}
        {tile(
          `9 of 10 waited less than`,
          `${wait}_p90`,
          duration,
          false,
          hasSchedule ? 'in business hours' : undefined,
        )}
        {tile(`Median first response${inHours}`, `${first}_median`, duration, false, without(first))}
        {tile(
          `9 of 10 first responses within`,
          `${first}_p90`,
          duration,
          false,
          hasSchedule ? 'in business hours' : undefined,
        )}
        {tile('Conversations', 'conversations', counted)}
        {tile('Sessions', 'sessions', counted)}
        {tile(
          'Sessions answered',
          'answered_sessions',
          counted,
          undefined,
          `of ${counted(Number(now.sessions))}`,
        )}
        {tile(
          'Rating',
          'rating_mean',
          (mean) => `${mean.toFixed(1)} of 5`,
          true,
          `${counted(ratings)} ratings`,
        )}
        {tile('Resolved, say customers', 'resolved_share', percent, true)}
      </dl>
      <h2>When</h2>
      <div class="charts">
        <Days answers={answers} period={period} />
        <Hours answers={answers} target={target} />
        <Waits answers={answers} period={period} />
      </div>
      <Agents answers={answers} report={report} wait={wait} first={first} inHours={inHours} />
      <Longest answers={answers} report={report} />
    </>
  );
}

/** The sentences of the views, of the columns that the page shows. */
function Sentences({ schema }: { schema: string }) {
  const viewOf = (name: string) => [...VIEWS, ...SURVEY_VIEWS].find((view) => view.name === name)!;
  const shown =
    /^(sessions|answered_sessions|wait_time_business_hours_seconds_(median|p90|missing)|ratings|rating_mean|resolved_share|wait_(met|missed|share_met)|nps|csat_mean|ces_mean)$/;
  const sentences = ['cxp.period', 'cxp.agent_period', 'cxp.target_day', 'cxp.campaign_period'].map((name) =>
    viewOf(name),
  );
  const pairs = new Map(
    sentences.flatMap(({ name, sentence, columns }) => [
      [name, sentence] as const,
      ...columns
        .filter((column) => shown.test(column.name))
        .map((column) => [column.name, column.sentence] as const),
    ]),
  );
  return (
    <>
      <h2>What each figure counts</h2>
      <p class="lead">
        Each figure is one of the copy’s views, so that SQL gives the same:{' '}
        <code>cxp-follow report --sql</code> prints the queries. <code>cxp-follow … --verify</code> proves the
        copy against the service.
      </p>
      <dl class="counts">
        {[...pairs].map(([name, sentence]) => (
          <div>
            <dt>{name.replace('cxp.', `${schema}.`)}</dt>
            <dd>{sentence.replaceAll('cxp.', `${schema}.`)}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
