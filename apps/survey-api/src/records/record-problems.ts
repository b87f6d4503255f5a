import type { InvalidItem } from '@cxp/error-envelopes';
import type { CampaignRecord } from '../campaigns/campaign-record';
import type { TitlesById } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import type { ResponseRecord } from '../responses/response-record';

/** What a campaign may hold at most: its page and its export grow with it. */
export const CAMPAIGN_LIMITS = {
  questions: 500,
  /** Of a question. */
  options: 500,
  /** Of a question. */
  rows: 500,
  /** Of a question. */
  columns: 50,
  /** Rows × columns, of all questions together: each is a control of the page. */
  cells: 5_000,
  /** Rows × characters of the columns' titles, of all questions together: a page has them in each row. */
  cellCharacters: 500_000,
  /** Of the names of all question columns of an export: they repeat the title of a question for each of its rows or ranked options. */
  headingCharacters: 1_500_000,
} as const;

/** The most metadata fields of an organization: an export has a column for each of them. */
export const MAX_METADATA_FIELDS = 2_000;

/** What a schema can't see in a campaign. @returns items whose `loc` starts at the record's data */
export function* campaignProblems({ survey_questions }: CampaignRecord): Generator<InvalidItem> {
  if (survey_questions.length > CAMPAIGN_LIMITS.questions) {
    yield tooLarge(['survey_questions'], CAMPAIGN_LIMITS.questions, 'questions');
    return;
  }
  const seen = new Set<number>();
  const total = { cells: 0, cellCharacters: 0, headingCharacters: 0 };
  for (const [index, question] of survey_questions.entries()) {
    const { id, option_titles_by_id, row_titles_by_id } = question;
    const columnTitles = question.column_titles ?? [];
    const loc = ['survey_questions', index];
    if (seen.size === seen.add(id).size) yield repeatedId([...loc, 'id']);
    const rows = countOf(row_titles_by_id);
    const parts = [
      { field: 'option_titles_by_id', what: 'options', count: countOf(option_titles_by_id) },
      { field: 'row_titles_by_id', what: 'rows', count: rows },
      { field: 'column_titles', what: 'columns', count: columnTitles.length },
    ] as const;
    const tooMany = parts.filter(({ what, count }) => count > CAMPAIGN_LIMITS[what]);
    yield* tooMany.map(({ field, what }) => tooLarge([...loc, field], CAMPAIGN_LIMITS[what], what));
    // What it takes is counted only of a question that is sound itself.
    if (tooMany.length > 0) continue;
    total.cells += rows * columnTitles.length;
    total.cellCharacters += rows * charactersOf(columnTitles);
    total.headingCharacters += charactersOf(
      QUESTION_KINDS[question.type].columns(question).map(({ name }) => name),
    );
    for (const what of ['cells', 'cellCharacters', 'headingCharacters'] as const) {
      if (total[what] > CAMPAIGN_LIMITS[what]) yield tooLarge(loc, CAMPAIGN_LIMITS[what], TOTALS[what]);
    }
  }
}

const TOTALS = {
  cells: 'rows × columns',
  cellCharacters: 'rows × characters of column titles',
  headingCharacters: 'characters of column names in an export',
} as const;

function charactersOf(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0);
}

function countOf(titles: TitlesById | null): number {
  return Object.keys(titles ?? {}).length;
}

function repeatedId(loc: InvalidItem['loc']): InvalidItem {
  return { loc, msg: 'Each question needs an id of its own', type: 'duplicate' };
}

function tooLarge(loc: InvalidItem['loc'], limit: number, what: string): InvalidItem {
  return { loc, msg: `Input should have at most ${limit} ${what}`, type: 'too_large' };
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
