import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { daysIn } from '../days';
import { clockOf, duration } from './explanation';
import type { ReportPeriod } from './report-queries';
import { Sentences } from './report-sentences';
import { REPORT_STYLE } from './report-style';
import { Surveys } from './report-surveys';
import { Agents, Longest } from './report-tables';
import { Days, Hours, Waits } from './report-times';
import {
  type ConversationAnswers,
  counted,
  type Figures,
  figuresOf,
  IN_HOURS,
  longDate,
  NIGHTS_INCLUDED,
  numberOf,
  ofFive,
  percent,
  type Report,
  textOf,
} from './report-values';

function periodBefore(period: ReportPeriod): string {
  const days = daysIn(period);
  return days === 7 ? 'the week before' : days === 1 ? 'the day before' : `the ${counted(days)} days before`;
}

/** The page: complete in itself, without a script. */
export function renderReport(report: Report): string {
  const { period, organization, conversations, surveys } = report;
  const figures = conversations && figuresOf(conversations);
  const hasSessions = Number(figures?.[0].sessions ?? 0) > 0;
  const isEmpty = !hasSessions && (surveys?.campaigns.length ?? 0) === 0;
  const title = `${longDate(period.startDate)} to ${longDate(period.endDate)}`;
  const checked =
    report.checkedAt === null
      ? 'not checked yet'
      : `checked against the service on ${clockOf(period.timezone, false)(report.checkedAt)}`;
  const [inHours, inHoursBefore] = (figures ?? []).map((row) => textOf(row.business_share_met, percent));
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
            <h1>{isEmpty ? 'No sessions and no answers in this period' : headline(report, figures)}</h1>
            {hasSessions && (
              <p class="clock">
                Nights and holidays included.
                {report.hasSchedule &&
                  ` In business hours ${inHours} waited at most ${duration(period.targetSeconds)} (${periodBefore(period)}: ${inHoursBefore}).`}
              </p>
            )}
            <p class="meta">
              <bdi>{organization}</bdi> · {title}, beside {longDate(period.beforeStart)} to{' '}
              {longDate(period.beforeEnd)} · times of {period.timezone}
              {conversations && !report.hasSchedule ? ' · no business hours are known' : ''}
            </p>
            <p class="meta">
              The copy was {checked}, up to date at change {counted(report.change)}.{' '}
              <code>cxp-follow … --once --verify</code> proves each of its rows.
              {conversations ? ' Customers whom no agent has taken are in no row, and not here.' : ''}
            </p>
          </header>
          {conversations && figures && hasSessions && (
            <Conversations report={report} answers={conversations} figures={figures} />
          )}
          {conversations && !hasSessions && !isEmpty && (
            <p class="meta">No session started in this period.</p>
          )}
          {!isEmpty && (
            <Surveys
              campaigns={surveys?.campaigns ?? []}
              scores={surveys?.scores ?? []}
              chats={hasSessions ? figures?.[0] : undefined}
            />
          )}
          {!isEmpty && <Sentences report={report} />}
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(page)}\n`;
}

function headline({ period }: Report, figures: Figures | undefined): ComponentChildren {
  if (!figures) return 'What customers answered';
  const [now = null, before = null] = figures.map((row) => numberOf(row.wait_share_met));
  const target = duration(period.targetSeconds);
  if (now === null) return `No wait could be measured against the target of ${target}`;
  const said = `${percent(now)} of the answered customers waited at most ${target}`;
  if (before === null) return said;
  const verdict = verdictOf(now, before, percent, true);
  return (
    <>
      {said}, <span class={verdict === 'worse than' ? 'accent' : undefined}>{verdict}</span>{' '}
      {periodBefore(period)} ({percent(before)})
    </>
  );
}

/** Of two figures: what is shown alike, or differs by less than 5 %, is about the same. */
function verdictOf(now: number, before: number, shown: (value: number) => string, isMoreBetter: boolean) {
  if (shown(now) === shown(before) || Math.abs(now - before) < 0.05 * before) return 'about the same as';
  return now > before === isMoreBetter ? 'better than' : 'worse than';
}

interface TileProps {
  readonly tile: readonly [
    name: string,
    column: string,
    shown: (value: number) => string,
    /** Undefined: neither is. */
    isMoreBetter?: boolean,
    clock?: string,
    about?: string,
  ];
  readonly figures: Figures;
}

function Tile({ tile: [name, column, shown, isMoreBetter, clock, about], figures }: TileProps): JSX.Element {
  const [now = null, before = null] = figures.map((row) => numberOf(row[column]));
  const verdict =
    now === null || before === null || isMoreBetter === undefined
      ? undefined
      : verdictOf(now, before, shown, isMoreBetter);
  return (
    <div>
      <dt>{name}</dt>
      <dd class="now">{textOf(now, shown)}</dd>
      {clock && <dd class="clock">{clock}</dd>}
      <dd>
        {verdict ? <b class={verdict === 'worse than' ? 'late' : undefined}>{verdict}</b> : 'before:'}{' '}
        <span class="whole">{textOf(before, shown)}</span>
      </dd>
      {about && <dd>{about}</dd>}
    </div>
  );
}

interface ConversationsProps {
  readonly report: Report;
  readonly answers: ConversationAnswers;
  readonly figures: Figures;
}

function Conversations({ report, answers, figures }: ConversationsProps) {
  const { period, hasSchedule } = report;
  const target = duration(period.targetSeconds);
  const [now] = figures;
  const hours = hasSchedule ? '_business_hours' : '';
  const clock = hasSchedule ? IN_HOURS : NIGHTS_INCLUDED;
  const [wait, first] = [`wait_time${hours}_seconds`, `first_response_time${hours}_seconds`];
  const without = (name: string) => {
    const missing = Number(now[`${name}_missing`]);
    return missing > 0
      ? `missing in ${counted(missing)} of ${counted(Number(now.sessions))} sessions`
      : undefined;
  };
  const [late, all] = [`${counted(Number(now.missed))} waited longer`, `of ${counted(Number(now.sessions))}`];
  const [ratings, said] = [now.ratings, now.resolutions].map((value) => counted(Number(value)));
  const tiles: readonly TileProps['tile'][] = [
    [`Waited at most ${target}`, 'wait_share_met', percent, true, NIGHTS_INCLUDED, late],
    ['Median wait', `${wait}_median`, duration, false, clock, without(wait)],
    ['9 of 10 waited less than', `${wait}_p90`, duration, false, clock],
    ['Median first response', `${first}_median`, duration, false, clock, without(first)],
    ['9 of 10 first responses within', `${first}_p90`, duration, false, clock],
    ['Conversations', 'conversations', counted],
    ['Sessions', 'sessions', counted],
    ['Sessions answered', 'answered_sessions', counted, undefined, undefined, all],
    ['Rating', 'rating_mean', ofFive, true, undefined, `${ratings} ratings`],
    ['Resolved, say customers', 'resolved_share', percent, true, undefined, `of ${said} who said`],
  ];
  return (
    <>
      <dl class="tiles">
        {tiles.map((tile) => (
          <Tile tile={tile} figures={figures} />
        ))}
      </dl>
      <h2>When</h2>
      <div class="charts">
        <Days answers={answers} period={period} />
        <Hours answers={answers} target={target} />
        <Waits answers={answers} period={period} />
      </div>
      <Agents answers={answers} report={report} wait={wait} first={first} clock={clock} />
      <Longest answers={answers} report={report} />
    </>
  );
}
