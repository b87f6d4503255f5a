import { QUESTION_TYPES } from '@cxp/records';
import type { SurveyQuestion } from '../../campaigns/survey-question';
import { renderSurvey, type SurveyForm } from './survey-form';

const titles = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index + 1), `Title ${index + 1}`]));

const points = (from: number, to: number) =>
  Object.fromEntries(
    Array.from({ length: to - from + 1 }, (_, index) => [from + index, String(from + index)]),
  );

/** A question with as many options or rows. */
function question(type: SurveyQuestion['type'], size: number, id = 1): SurveyQuestion {
  return {
    id,
    type,
    metric_type: 'csat',
    title: 'Question',
    option_titles_by_id: titles(size),
    row_titles_by_id: titles(size),
    column_titles: ['Good', 'Bad'],
  };
}

function form(questions: readonly SurveyQuestion[], typed: SurveyForm['typed'] = new Map()): SurveyForm {
  return {
    language: 'en',
    campaignName: 'Survey',
    campaignLanguage: null,
    questions,
    identifier: 'id',
    action: '/s/x/responses',
    otherLanguageUrl: '/s/x?lang=vi',
    scriptUrl: '/s/assets/x.js',
    typed,
  };
}

const lengthOf = (questions: readonly SurveyQuestion[]) => renderSurvey(form(questions)).length;

describe('the page of a survey', () => {
  it.each(QUESTION_TYPES)('grows with the size of a question of type %s, not with its square', (type) => {
    const [empty, small, large] = [0, 100, 400].map((size) => lengthOf([question(type, size)])) as [
      number,
      number,
      number,
    ];
    expect(large - empty).toBeLessThanOrEqual(4.3 * (small - empty));
  });

  it('has the title of a column once in each row', () => {
    const columns = Array.from({ length: 20 }, (_, index) => 'x'.repeat(1_000) + index);
    const matrix = { ...question('matrix', 100), column_titles: columns };
    expect(lengthOf([matrix])).toBeLessThan(100 * 20 * 1_200);
  });

  it.each<[what: string, parts: Partial<SurveyQuestion>, ends: string[]]>([
    [
      '0 to 10 of NPS',
      { metric_type: 'nps', option_titles_by_id: points(0, 10) },
      ['0 – Not at all likely', '10 – Extremely likely'],
    ],
    [
      '1 to 5 of CSAT',
      { option_titles_by_id: points(1, 5) },
      ['1 – Very dissatisfied', '5 – Very satisfied'],
    ],
    [
      '1 to 7 of CES',
      { metric_type: 'ces', option_titles_by_id: points(1, 7) },
      ['1 – Very difficult', '7 – Very easy'],
    ],
    [
      'ids that are no points',
      { option_titles_by_id: { 71: '1', 72: '2', 73: '3' } },
      ['1 – Very dissatisfied', '3 – Very satisfied'],
    ],
    ['options of which one is longer', { option_titles_by_id: { ...points(1, 5), 5: '5 = Good' } }, []],
    ['faces', { option_titles_by_id: { 1: '🙁', 2: '😐', 3: '🙂' } }, []],
    ['words', { option_titles_by_id: { 1: 'Very bad', 2: 'So so', 3: 'Very good' } }, []],
    ['two points', { option_titles_by_id: { 1: '1', 2: '2' } }, []],
    ['0 to 9 of NPS', { metric_type: 'nps', option_titles_by_id: points(0, 9) }, []],
    ['no metric', { metric_type: null, option_titles_by_id: points(1, 5) }, []],
  ])('names the ends of a scale of %s', (_, parts, ends) => {
    const scale = { ...question('multiple_choice', 0), column_titles: null, ...parts };
    const html = renderSurvey(form([scale]));
    const [, shown = ''] = /<p class="ends" lang="en">(.*?)<\/p>/.exec(html) ?? [];
    expect([...shown.matchAll(/<span dir="auto">(.*?)<\/span>/g)].map(([, text]) => text)).toEqual(ends);
  });

  it('shows again what was typed, however much was sent for one question', () => {
    const many = Array.from({ length: 20_000 }, (_, index) => `${index + 250}`);
    const typed = new Map([
      ['1', { own: many, parts: new Map() }],
      ['2', { own: [], parts: new Map([['7', ['x<y']]]) }],
    ]);
    const html = renderSurvey(form([question('checkbox', 500), question('ranking', 500, 2)], typed));
    expect(html.match(/ checked/g)).toHaveLength(251);
    expect(html).toContain('name="q2.7" inputmode="numeric" placeholder=" " value="x&lt;y"');
  });
});
