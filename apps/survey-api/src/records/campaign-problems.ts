import type { InvalidItem } from '@cxp/error-envelopes';
import type { CampaignRecord } from '../campaigns/campaign.repository';
import type { SurveyQuestion, TitlesById } from '../campaigns/survey-question';
import { QUESTION_KINDS } from '../questions';
import { unifyLineBreaks } from '../questions/question-kind';

/** The page and the export of a campaign grow with it. */
export const CAMPAIGN_LIMITS = {
  questions: 500,
  /** Options, and rows × columns, of all questions together. */
  controls: 2_000,
  /** The names of an export's columns repeat a question's title for each of its rows or ranked options. */
  headingCharacters: 1_500_000,
  /** As the page escapes them; it repeats columns, and the ids of rows, for each control. */
  pageCharacters: 1_000_000,
} as const;

/**
 * Finds what a schema can't express.
 * @returns items whose `loc` starts at the record's data
 */
export function* campaignProblems({ name, survey_questions }: CampaignRecord): Generator<InvalidItem> {
  let [controls, headingCharacters, pageCharacters] = [0, 0, escapedLength(name)];
  const seen = new Set<number>();
  for (const [index, question] of survey_questions.entries()) {
    if (seen.size === seen.add(question.id).size) yield repeatedId(['survey_questions', index, 'id']);
    yield* textProblems(question, ['survey_questions', index]);
    controls += controlsOf(question);
    headingCharacters += headingCharactersOf(question);
    pageCharacters += pageCharactersOf(question);
  }
  const limits = CAMPAIGN_LIMITS;
  if (survey_questions.length > limits.questions) yield tooLarge(limits.questions, 'questions');
  if (controls > limits.controls) yield tooLarge(limits.controls, 'controls');
  if (headingCharacters > limits.headingCharacters) {
    yield tooLarge(limits.headingCharacters, 'characters of column names in an export');
  }
  if (pageCharacters > limits.pageCharacters) {
    yield tooLarge(limits.pageCharacters, 'escaped characters on its page');
  }
}

/** Ids and titles come back from a form, which changes their line breaks and drops empty ones. */
function* textProblems(
  { option_titles_by_id, row_titles_by_id, column_titles }: SurveyQuestion,
  parent: InvalidItem['loc'],
): Generator<InvalidItem> {
  const sent = {
    option_titles_by_id: Object.keys(option_titles_by_id ?? {}),
    row_titles_by_id: Object.keys(row_titles_by_id ?? {}),
    column_titles: column_titles ?? [],
  };
  for (const [field, texts] of Object.entries(sent)) {
    const seen = new Map<string, string>();
    for (const [place, text] of texts.entries()) {
      const loc = [...parent, field, field === 'column_titles' ? place : text];
      const unified = unifyLineBreaks(text);
      if (text === '') {
        yield { loc, msg: 'String should have at least 1 character', type: 'string_too_short' };
      } else if (seen.has(unified) && seen.get(unified) !== text) {
        yield { loc, msg: 'Input differs from another one in line breaks only', type: 'duplicate' };
      }
      seen.set(unified, text);
    }
  }
}

function controlsOf({ option_titles_by_id, row_titles_by_id, column_titles }: SurveyQuestion): number {
  return countOf(option_titles_by_id) + countOf(row_titles_by_id) * Math.max(1, column_titles?.length ?? 0);
}

function headingCharactersOf(question: SurveyQuestion): number {
  const columns = QUESTION_KINDS[question.type].columns(question);
  return columns.reduce((sum, { name }) => sum + name.length, 0);
}

function pageCharactersOf({ title, ...question }: SurveyQuestion): number {
  const columns = question.column_titles ?? [];
  const rows = Object.entries(question.row_titles_by_id ?? {});
  const texts = [title, ...Object.entries(question.option_titles_by_id ?? {}).flat(), ...rows.flat()];
  const ofRows = rows.length * lengthOf(columns) + columns.length * lengthOf(rows.map(([id]) => id));
  return lengthOf(texts) + ofRows;
}

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + escapedLength(text), 0);
}

/** Code points of `&amp;`, `&lt;`, `&gt;`, `&quot;` and `&#39;`, by the character that becomes them. */
const ESCAPED = new Map(
  [...'&<>"\''].map((character, place) => [character.charCodeAt(0), [5, 4, 4, 6, 5][place]!]),
);

function escapedLength(text: string): number {
  let length = 0;
  for (let place = 0; place < text.length; place++) {
    const unit = text.charCodeAt(place);
    const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff;
    length += isSecondHalf ? 0 : (ESCAPED.get(unit) ?? 1);
  }
  return length;
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
