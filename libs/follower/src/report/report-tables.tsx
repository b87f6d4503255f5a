import { DAY_MS } from '../days';
import { clockOf, duration, Lane } from './explanation';
import {
  type ConversationAnswers,
  counted,
  DATE_LABELS,
  dateText,
  daysIn,
  numberOf,
  percent,
  type Report,
  type Row,
} from './report-values';

const keyOf = ({ account_id: account, email }: Row) =>
  account === null ? String(email).toLowerCase() : `#${String(account)}`;
const agentName = ({ account_id: account, email, name }: Row) =>
  String(name || email || (account === null ? 'Without a name' : `Account ${String(account)}`));

interface AgentsProps {
  readonly answers: ConversationAnswers;
  readonly report: Report;
  readonly wait: string;
  readonly first: string;
  readonly inHours: string;
}

export function Agents({ answers, report: { period }, wait, first, inHours }: AgentsProps) {
  const slowness = (row: Row) => numberOf(row[`${first}_median`]) ?? -1;
  const agents = [...answers.agents].sort(
    (a, b) =>
      slowness(b) - slowness(a) || Number(b.sessions) - Number(a.sessions) || (keyOf(a) < keyOf(b) ? -1 : 1),
  );
  const time = (value: Row[string] | undefined) => (numberOf(value) === null ? '—' : duration(Number(value)));
  const days = Array.from(
    { length: daysIn(period) },
    (_, index) => Date.parse(period.startDate) / DAY_MS + index,
  );
  const ofDay = new Map((answers.agentDays ?? []).map((row) => [`${keyOf(row)} ${String(row.day)}`, row]));
  return (
    <>
      <h2>Agents</h2>
      <p class="lead">Who takes longest for a first response{inHours} stands first.</p>
      <div class="scroll" tabIndex={0} role="region" aria-label="Figures of each agent">
        <table>
          <thead>
            <tr>
              <td />
              <td colSpan={2} />
              <th scope="colgroup" colSpan={2}>
                First response{inHours}
              </th>
              <th scope="colgroup" colSpan={3}>
                Wait{inHours}
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
                  <td>{time(row[column])}</td>
                ))}
                <td>{counted(Number(row[`${wait}_missing`]))}</td>
                <td>
                  {row.rating_mean === null ? '—' : Number(row.rating_mean).toFixed(1)}{' '}
                  <small>({String(row.ratings)})</small>
                </td>
                <td>{row.resolved_share === null ? '—' : percent(Number(row.resolved_share))}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {days.length > 1 && days.length <= 7 && (
        <>
          <h2>Who needs help on which day</h2>
          <p class="lead">
            Median wait{inHours} of each agent’s customers;{' '}
            <b class="late">longer than {duration(period.targetSeconds)}</b>. In brackets: sessions.
          </p>
          <div class="scroll" tabIndex={0} role="region" aria-label="Median wait of each agent and day">
            <table>
              <thead>
                <tr>
                  <th scope="col">Agent</th>
                  {days.map((day) => (
                    <th scope="col">{dateText(day * DAY_MS, DATE_LABELS.day)}</th>
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
                      const median = numberOf(row?.[`${wait}_median`]);
                      if (!row) return <td />;
                      return (
                        <td class={median !== null && median > period.targetSeconds ? 'late' : undefined}>
                          {median === null ? '—' : duration(median)} <small>({String(row.sessions)})</small>
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
  const at = (value: Row[string] | undefined) => (numberOf(value) === null ? '—' : time(Number(value)));
  return (
    <>
      <h2>The longest waits</h2>
      <p class="lead">
        In the calendar. <i class="swatch" data-reason="counted" /> business hours{' '}
        <i class="swatch" data-reason="closed" /> closed <i class="swatch" data-reason="exception" /> holiday.
        Customers whom no agent has taken are in no row, and not here.
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
                {at(row.waits_from)} to {at(row.answered_at)} · answered by{' '}
                <bdi>
                  {String(row.session_agent_name || row.session_agent_email || 'an agent without a name')}
                </bdi>
              </p>
              {!explained && (
                <p>
                  {hours === null
                    ? 'No business hours are known.'
                    : `${duration(Number(hours))} of it in business hours.`}
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
