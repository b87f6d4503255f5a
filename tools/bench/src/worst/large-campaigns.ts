import { randomUUID } from 'node:crypto';
import { LIMITS } from './limits';
import { each, store, text, type Place } from './worst-input';

export function titles(count: number): Record<string, string> {
  return Object.fromEntries(each(count, (n) => [String(n + 1), 'x']));
}

const MATRIX_COLUMNS = LIMITS.campaign.cells / LIMITS.campaign.rows;
const COLUMN_CHARACTERS = LIMITS.campaign.cellCharacters / LIMITS.campaign.cells;

/** Characters that a page has to escape. */
const escaped = (characters: number) => '<'.repeat(characters);

/** The largest campaigns: by options, by cells, and by text. `size` is the number of options, rows, questions or columns. */
export const CAMPAIGNS = {
  'of rankings': (size: number) =>
    each(Math.floor(LIMITS.values / (LIMITS.campaign.options + 10)), (n) => ({
      id: n + 1,
      type: 'ranking',
      title: 'x',
      option_titles_by_id: titles(size),
    })),
  'of matrices': (size: number) => [
    {
      id: 1,
      type: 'matrix',
      title: 'x',
      row_titles_by_id: titles(size),
      column_titles: each(MATRIX_COLUMNS, (n) => `${n}`.repeat(COLUMN_CHARACTERS)),
    },
  ],
  'of texts': (size: number) =>
    each(size, (n) => ({
      id: n + 1,
      type: 'text',
      title: text(LIMITS.recordBytes / LIMITS.campaign.questions - 100),
    })),
  'of long titles': (size: number) =>
    each(size, (n) => ({ id: n + 1, type: 'text', title: escaped(LIMITS.campaign.titleCharacters) })),
  'of wide rows': (size: number) => [
    {
      id: 1,
      type: 'matrix',
      title: 'x',
      row_titles_by_id: titles(1),
      column_titles: each(size, (n) => `${n}`.padEnd(LIMITS.campaign.columnTitleCharacters, '<')),
    },
  ],
};
export type CampaignKind = keyof typeof CAMPAIGNS;
export const KINDS = Object.keys(CAMPAIGNS) as CampaignKind[];
export const AT_LIMIT: Readonly<Record<CampaignKind, number>> = {
  'of rankings': LIMITS.campaign.options,
  'of matrices': LIMITS.campaign.rows,
  'of texts': LIMITS.campaign.questions,
  'of long titles': Math.floor(LIMITS.recordBytes / (LIMITS.campaign.titleCharacters + 100)),
  'of wide rows': LIMITS.campaign.columns,
};

export function campaign(kind: CampaignKind, size: number, id: string = randomUUID()) {
  return { id, name: 'Visit', status: 'active', survey_questions: CAMPAIGNS[kind](size) };
}

export async function storeCampaign(place: Place, kind: CampaignKind, size: number): Promise<string> {
  const stored = campaign(kind, size);
  await store(place, 'survey_campaign', [stored]);
  return stored.id;
}
