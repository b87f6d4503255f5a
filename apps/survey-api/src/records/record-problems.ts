import type { InvalidItem } from '@cxp/error-envelopes';
import type { CampaignRecord } from '../campaigns/campaign-record';
import type { SurveyQuestion, TitlesById } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import type { ResponseRecord } from '../responses/response-fields';

/** What a campaign may hold at most: its page and its export grow with it. */
export const CAMPAIGN_LIMITS = {
  questions: 500,
  /** Options, and rows × columns, of all questions together. */
  controls: 2_000,
  /** Of the names of an export's columns: they repeat the title of a question for each of its rows or ranked options. */
  headingCharacters: 1_500_000,
} as const;

/** The most metadata fields of an organization: an export has a column for each of them. */
export const MAX_METADATA_FIELDS = 2_000;

/** What a schema can't see in a campaign. @returns items whose `loc` starts at the record's data */
export function* campaignProblems({ survey_questions }: CampaignRecord): Generator<InvalidItem> {
  const sizes = { questions: survey_questions.length, controls: 0, headingCharacters: 0 };
  const seen = new Set<number>();
  for (const [index, question] of survey_questions.entries()) {
    if (seen.size === seen.add(question.id).size) yield repeatedId(['survey_questions', index, 'id']);
    sizes.controls += controlsOf(question);
    sizes.headingCharacters += headingCharactersOf(question);
  }
  for (const [size, what] of Object.entries(WHAT) as [keyof typeof WHAT, string][]) {
    if (sizes[size] > CAMPAIGN_LIMITS[size]) yield tooLarge(CAMPAIGN_LIMITS[size], what);
  }
}

const WHAT = {
  questions: 'questions',
  controls: 'controls',
  headingCharacters: 'characters of column names in an export',
};

function controlsOf({ option_titles_by_id, row_titles_by_id, column_titles }: SurveyQuestion): number {
  return countOf(option_titles_by_id) + countOf(row_titles_by_id) * (column_titles?.length ?? 0);
}

function headingCharactersOf(question: SurveyQuestion): number {
  const columns = QUESTION_KINDS[question.type].columns(question);
  return columns.reduce((sum, { name }) => sum + name.length, 0);
}

function countOf(titles: TitlesById | null): number {
  return Object.keys(titles ?? {}).length;
}

function repeatedId(loc: InvalidItem['loc']): InvalidItem {
  return { loc, msg: 'Each question needs an id of its own', type: 'duplicate' };
}

function tooLarge(limit: number, what: string): InvalidItem {
  return { loc: ['survey_questions'], msg: `Input should have at most ${limit} ${what}`, type: 'too_large' };
}

/** What a schema can't see in a response, its answers apart. @returns items whose `loc` starts at the record's data */
export function* responseProblems(response: ResponseRecord): Generator<InvalidItem> {
  const timed =
    response.sent_timestamp ??
    response.sending_failed_timestamp ??
    response.opened_timestamp ??
    response.answered_timestamp;
  if (timed === null) {
    yield { loc: [], msg: 'A response needs at least one of its timestamps', type: 'missing' };
  }
}
