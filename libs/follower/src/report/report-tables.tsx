import { DAY_MS, daysIn } from '../days';
import { clockOf, duration, Lane } from './explanation';
import {
  type ConversationAnswers,
  counted,
  DATE_LABELS,
  dateText,
  IN_HOURS,
  NIGHTS_INCLUDED,
  numberOf,
  percent,
  type Report,
  type Row,
  textOf,
} from './report-values';

const keyOf = ({ account_id: account, email }: Row) =>
  account === null ? String(email).toLowerCase() : `#${String(account)}`;
const agentName = ({ account_id: account, email, name }: Row) =>
  String(name || email || (account === null ? 'Without a name' : `Account ${String(account)}`));

const byKey = (a: Row, b: Row) => (keyOf(a) < keyOf(b) ? -1 : 1);
/** Below all others if it is missing. */
const medianOf = (row: Row, metric: string) => numberOf(row[`${metric}_median`]) ?? -1;

interface AgentsProps {
  readonly answers: ConversationAnswers;
  readonly report: Report;
  readonly wait: string;
  readonly first: string;
  readonly clock: string;
}

/** Of fewer sessions a median says little. */
const MIN_SESSIONS = 3;

export function Agents({ answers, report: { period }, wait, first, clock }: AgentsProps) {
  const agents = [...answers.agents].sort(
    (a, b) =>
      medianOf(b, first) - medianOf(a, first) || Number(b.sessions) - Number(a.sessions) || byKey(a, b),
  );
  const days = Array.from(
    { length: daysIn(period) },
    (_, index) => Date.parse(period.startDate) / DAY_MS + index,
  );
  const target = duration(period.targetSeconds);
  const dayName = (day: Row[string] | undefined) => dateText(Number(day) * DAY_MS, DATE_LABELS.day);
  const furthest = (answers.agentDays ?? [])
    .filter((row) => Number(row.sessions) >= MIN_SESSIONS && medianOf(row, wait) > period.targetSeconds)
    .sort((a, b) => medianOf(b, wait) - medianOf(a, wait) || Number(a.day) - Number(b.day) || byKey(a, b))
    .slice(0, 2);
  const ofDay = new Map((answers.agentDays ?? []).map((row) => [`${keyOf(row)} ${String(row.day)}`, row]));
  return (
    <>
      <h2>Agents</h2>
      <p class="lead wide">The slowest first responses (median, {clock}) stand first.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Figures of each agent">
        <table>
          <thead>
            <tr>
              <td />
              <td colSpan={2} />
              <th scope="colgroup" colSpan={2}>
                First response {clock}
              </th>
              <th scope="colgroup" colSpan={3}>
                Wait {clock}
              </th>
              <td colSpan={2} />
            </tr>
            <tr>
              {[
                'Agent',
                'Sessions',
                'Answered',
                'median',
                '9 of 10 in',
                'median',
                '9 of 10 in',
                'missing',
                'Rating',
                'Resolved',
              ].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {agents.map((row) => (
              <tr>
                <th scope="row">
                  <bdi>{agentName(row)}</bdi>
                </th>
                <td>{counted(Number(row.sessions))}</td>
                <td>{counted(Number(row.answered_sessions))}</td>
                {[`${first}_median`, `${first}_p90`, `${wait}_median`, `${wait}_p90`].map((column) => (
                  <td>{textOf(row[column], duration)}</td>
                ))}
                <td>{counted(Number(row[`${wait}_missing`]))}</td>
                <td>
                  {textOf(row.rating_mean, (mean) => mean.toFixed(1))} <small>({String(row.ratings)})</small>
                </td>
                <td>{textOf(row.resolved_share, percent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {days.length > 1 && days.length <= 7 && (
        <>
          <h2>Who needs help on which day</h2>
          <p class="lead wide">
            Furthest above the target:{' '}
            {furthest.map((row, place) => (
              <>
                {place > 0 && ' and '}
                <b class="late">
                  <bdi>{agentName(row)}</bdi> on {dayName(row.day)}
                </b>{' '}
                ({duration(medianOf(row, wait))}, {`${String(row.sessions)}\u00a0sessions`})
              </>
            ))}
            {furthest.length === 0 && `nobody with ${MIN_SESSIONS} sessions or more on a day`}. Median wait of
            each agent’s customers, {clock}; in brackets the sessions. Agents are in the order of the table
            above. <span class="key late-1">above {target}</span>{' '}
            <span class="key late-2">at least 2 times</span> <span class="key late-3">at least 3 times</span>{' '}
            <span class="key few">above, of fewer than {MIN_SESSIONS} sessions</span>
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Median wait of each agent and day">
            <table>
              <thead>
                <tr>
                  <th scope="col">Agent</th>
                  {days.map((day) => (
                    <th scope="col">{dayName(day)}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {agents.map((agent) => (
                  <tr>
                    <th scope="row">
                      <bdi>{agentName(agent)}</bdi>
                    </th>
                    {days.map((day) => {
                      const row = ofDay.get(`${keyOf(agent)} ${day}`);
                      if (!row) return <td />;
                      const [median, sessions] = [medianOf(row, wait), Number(row.sessions)];
                      const times = Math.min(3, Math.floor(median / period.targetSeconds));
                      const kind = sessions < MIN_SESSIONS ? 'few' : `late-${times}`;
                      return (
                        <td class={median > period.targetSeconds ? kind : undefined}>
                          {textOf(row[`${wait}_median`], duration)} <small>({sessions})</small>
                        </td>
                      );
                    })}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

/** For a shell: what is in quotes is one word. */
const shellWord = (text: string) => (/^[\w.@:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

export function Longest({ answers, report }: { answers: ConversationAnswers; report: Report }) {
  const time = clockOf(report.period.timezone, false);
  const at = (value: Row[string] | undefined) => textOf(value, time);
  const dayOf = (value: Row[string] | undefined) =>
    dateText(Number(value), { timeZone: report.period.timezone, weekday: 'short', day: 'numeric' });
  return (
    <>
      <h2>The longest waits</h2>
      <p class="lead">
        By the whole time, {NIGHTS_INCLUDED}. Each counts on the day an agent took the session; customers whom
        no agent has taken are in no row, and not here. <i class="swatch" data-reason="counted" /> business
        hours <i class="swatch" data-reason="closed" /> closed <i class="swatch" data-reason="exception" />{' '}
        holiday
      </p>
      <ol class="waits">
        {answers.longest.map((row, place) => {
          const { wait_time_business_hours_seconds: hours } = row;
          const explained = report.explained[place];
          return (
            <li class="card">
              <p>
                <b>
                  <bdi>
                    {String(
                      row.customer_name ||
                        row.customer_email ||
                        row.customer_phone ||
                        'A customer without a name',
                    )}
                  </bdi>
                </b>
                <b>{duration(Number(row.wait_time_seconds))}</b>
              </p>
              <p class="meta">
                {at(row.waits_from)} to {at(row.answered_at)} · counts on {dayOf(row.started)} · answered by{' '}
                <bdi>
                  {String(row.session_agent_name || row.session_agent_email || 'an agent without a name')}
                </bdi>
              </p>
              {(place === 0 || !explained) && (
                <p>
                  {hours === null
                    ? 'No business hours are known.'
                    : `Nobody answered for ${duration(Number(hours))} ${IN_HOURS}.`}
                </p>
              )}
              {explained ? (
                <Lane name="waitTime" row={explained} timeOf={time} />
              ) : (
                <p class="meta">
                  Why:{' '}
                  <code>
                    npx cxp explain --organization {shellWord(report.organization)}{' '}
                    {shellWord(String(row.conversation_id))}
                  </code>
                </p>
              )}
            </li>
          );
        })}
      </ol>
    </>
  );
}
