import type { ResultRows } from '../database';
import { Bars, Chart } from './charts';
import { counted, numberOf, type SurveyAnswers } from './report-values';

/** More scores than these are no scale. */
const MAX_SCORES = 20;
const METRICS = [
  { metric: 'nps', column: 'nps', title: 'NPS', of: 'promoters minus detractors, −100 to 100' },
  { metric: 'csat', column: 'csat_mean', title: 'Satisfaction (CSAT)', of: 'mean score' },
  { metric: 'ces', column: 'ces_mean', title: 'Effort (CES)', of: 'mean score' },
] as const;

/** What customers said in each campaign that was answered. */
export function Surveys({ answers }: { answers: SurveyAnswers }) {
  return (
    <>
      <h2>What customers say</h2>
      {answers.campaigns.map((campaign) => (
        <section class="campaign">
          <p class="campaign-name">
            <b>
              <bdi>{String(campaign.name ?? 'A campaign without a name')}</bdi>
            </b>
            <span class="meta">
              {' '}
              {counted(Number(campaign.answered))} responses answered
              {METRICS.some(({ metric }) => Number(campaign[`${metric}_answers`]) > 0)
                ? ''
                : ', none of them with a score'}
            </span>
          </p>
          <div class="charts">
            {METRICS.filter(({ metric }) => Number(campaign[`${metric}_answers`]) > 0).map((metric) => (
              <Metric
                campaign={campaign}
                {...metric}
                scores={answers.scores.filter(
                  (row) => row.id === campaign.id && row.metric === metric.metric,
                )}
              />
            ))}
          </div>
        </section>
      ))}
    </>
  );
}

interface MetricProps {
  readonly campaign: ResultRows[number];
  readonly metric: string;
  readonly column: string;
  readonly title: string;
  readonly of: string;
  readonly scores: ResultRows;
}

function Metric({ campaign, metric, column, title, of, scores }: MetricProps) {
  const figure = numberOf(campaign[column])!;
  const shown = metric === 'nps' ? figure.toFixed(0).replace('-', '−') : figure.toFixed(1);
  const bars = scores
    .slice(0, MAX_SCORES)
    .map((row) => ({ score: Number(row.score), answers: Number(row.answers) }));
  return (
    <Chart
      title={`${title}: ${shown}`}
      sentence={`${of} · ${counted(Number(campaign[`${metric}_answers`]))} answers, by score`}
      head={['Score', 'Answers']}
      rows={bars.map(({ score, answers }) => [score, answers])}
    >
      <Bars
        height={90}
        bars={bars.map(({ score, answers }) => ({
          label: String(score),
          parts: [[metric === 'nps' && score <= 6 ? 'late' : 'met', answers]],
        }))}
      />
    </Chart>
  );
}
