import { randomUUID } from 'node:crypto';
import { LIMITS } from './limits';
import { each, store, text, type Place } from './worst-input';

const { controls, columnTitleCharacters, questions, titleCharacters } = LIMITS.campaign;
const COLUMNS = 50;

interface LargeCampaign {
  /** How many options, rows, questions or columns it may have. */
  readonly atLimit: number;
  readonly questions: (size: number) => readonly object[];
}

export function titles(count: number): Record<string, string> {
  return Object.fromEntries(each(count, (n) => [String(n + 1), 'x']));
}

const question = (id: number, type: string, parts: object) => ({ id, type, title: 'x', ...parts });
const matrix = (count: number, columnTitles: string[]) => [
  question(1, 'matrix', { row_titles_by_id: titles(count), column_titles: columnTitles }),
];
const texts = (count: number, title: string) => each(count, (n) => question(n + 1, 'text', { title }));

/** The largest campaigns: by options, by cells, and by text. Pages have to escape `<`. */
export const CAMPAIGNS = {
  'of rankings': {
    atLimit: controls,
    questions: (size) => [question(1, 'ranking', { option_titles_by_id: titles(size) })],
  },
  'of matrices': {
    atLimit: controls / COLUMNS,
    questions: (size) =>
      matrix(
        size,
        each(COLUMNS, (n) => `${n}`.padEnd(columnTitleCharacters, 'x')),
      ),
  },
  'of texts': {
    atLimit: questions,
    questions: (size) => texts(size, text(LIMITS.recordBytes / questions - 100)),
  },
  'of long titles': {
    atLimit: Math.floor(LIMITS.recordBytes / (titleCharacters + 100)),
    questions: (size) => texts(size, '<'.repeat(titleCharacters)),
  },
  'of wide rows': {
    atLimit: COLUMNS,
    questions: (size) =>
      matrix(
        1,
        each(size, (n) => `${n}`.padEnd(columnTitleCharacters, '<')),
      ),
  },
} satisfies Record<string, LargeCampaign>;
export type CampaignKind = keyof typeof CAMPAIGNS;
export const KINDS = Object.keys(CAMPAIGNS) as CampaignKind[];

export function campaign(survey_questions: readonly object[], id: string = randomUUID()) {
  return { id, name: 'Visit', status: 'active', survey_questions };
}

/** @returns its id */
export async function storeCampaign(
  place: Place,
  kind: CampaignKind,
  size = CAMPAIGNS[kind].atLimit,
): Promise<string> {
  const stored = campaign(CAMPAIGNS[kind].questions(size));
  await store(place, 'survey_campaign', [stored]);
  return stored.id;
}
