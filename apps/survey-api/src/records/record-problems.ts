import type { InvalidItem } from '@cxp/error-envelopes';
import type { CampaignRecord } from '../campaigns/campaign.repository';
import type { TitlesById } from '../campaigns/survey-question';
import type { ResponseRecord } from '../responses/response.repository';

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
} as const;

/** What a schema can't see in a campaign. @returns items whose `loc` starts at the record's data */
export function campaignProblems({ survey_questions }: CampaignRecord): InvalidItem[] {
  if (survey_questions.length > CAMPAIGN_LIMITS.questions) {
    return [tooLarge(['survey_questions'], CAMPAIGN_LIMITS.questions, 'questions')];
  }
  const seen = new Set<number>();
  let cells = 0;
  let cellCharacters = 0;
  return survey_questions.flatMap((question, index) => {
    const { id, column_titles } = question;
    const loc = ['survey_questions', index];
    const options = countOf(question.option_titles_by_id);
    const rows = countOf(question.row_titles_by_id);
    const columns = column_titles?.length ?? 0;
    cells += rows * columns;
    cellCharacters += rows * (column_titles ?? []).reduce((sum, title) => sum + title.length, 0);
    const { options: maxOptions, rows: maxRows, columns: maxColumns } = CAMPAIGN_LIMITS;
    return [
      ...(seen.size === seen.add(id).size ? [repeatedId([...loc, 'id'])] : []),
      ...(options > maxOptions ? [tooLarge([...loc, 'option_titles_by_id'], maxOptions, 'options')] : []),
      ...(rows > maxRows ? [tooLarge([...loc, 'row_titles_by_id'], maxRows, 'rows')] : []),
      ...(columns > maxColumns ? [tooLarge([...loc, 'column_titles'], maxColumns, 'columns')] : []),
      ...(cells > CAMPAIGN_LIMITS.cells ? [tooLarge(loc, CAMPAIGN_LIMITS.cells, 'rows × columns')] : []),
      ...(cellCharacters > CAMPAIGN_LIMITS.cellCharacters
        ? [tooLarge(loc, CAMPAIGN_LIMITS.cellCharacters, 'rows × characters of column titles')]
        : []),
    ];
  });
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
export function responseProblems(response: ResponseRecord): InvalidItem[] {
  const timed =
    response.sent_timestamp ??
    response.sending_failed_timestamp ??
    response.opened_timestamp ??
    response.answered_timestamp;
  return timed === null
    ? [{ loc: [], msg: 'A response needs at least one of its timestamps', type: 'missing' }]
    : [];
}
