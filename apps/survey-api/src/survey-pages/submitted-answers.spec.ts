import fc from 'fast-check';
import { isJsonObject, questionsById, type SurveyQuestion } from '../campaigns/survey-question';
import { MAX_ANSWER_CHARACTERS } from '../questions/question-kind';
import { checkRecordedAnswers, checkSubmittedAnswers } from '../questions';
import { answersOfForm, parseForm } from './form-fields';

const NONE = {
  metric_type: null,
  option_titles_by_id: null,
  row_titles_by_id: null,
  column_titles: null,
} as const;
const OPTIONS = { '21': 'Price', '22': 'Quality', '23': 'Staff' };

const QUESTIONS: SurveyQuestion[] = [
  { ...NONE, id: 1, type: 'text', title: 'Anything else?' },
  { ...NONE, id: 2, type: 'multiple_choice', title: 'Which?', option_titles_by_id: OPTIONS },
  { ...NONE, id: 3, type: 'checkbox', title: 'What did you like?', option_titles_by_id: OPTIONS },
  {
    ...NONE,
    id: 4,
    type: 'matrix',
    title: 'How satisfied?',
    row_titles_by_id: { '31': 'Delivery', '32': 'Packaging' },
    column_titles: ['Not at all', 'Very', 'Two\r\nlines'],
  },
  { ...NONE, id: 5, type: 'ranking', title: 'Rank them', option_titles_by_id: OPTIONS },
];

const judge = (answers: Record<string, unknown>) => checkSubmittedAnswers(answers, QUESTIONS);

describe('checkSubmittedAnswers', () => {
  it.each<[what: string, submitted: Record<string, unknown>, stored: object]>([
    ['no answer', {}, {}],
    ['answers that are null', { 1: null, 2: null, 3: null, 4: null, 5: null }, {}],
    ['answers that are empty', { 1: '', 2: '', 3: [], 4: {}, 5: {} }, {}],
    ['rows and ranks that are empty', { 4: { 31: '', 32: null }, 5: { 21: null } }, {}],
    ['a text of white space', { 1: ' \r\n\t' }, {}],
    ['a text', { 1: ' Cảm ơn 😀 ' }, { 1: ' Cảm ơn 😀 ' }],
    ['a text with line breaks', { 1: 'a\r\nb\rc\nd' }, { 1: 'a\nb\nc\nd' }],
    ['the longest text', { 1: '😀'.repeat(5_000) }, { 1: '😀'.repeat(5_000) }],
    ['the longest text, with line breaks', { 1: 'x\r\n'.repeat(2_500) }, { 1: 'x\n'.repeat(2_500) }],
    ['a choice', { 2: '22' }, { 2: '22' }],
    ['some options', { 3: ['23', '21'] }, { 3: ['23', '21'] }],
    ['a part of a matrix', { 4: { 32: 'Very' } }, { 4: { 32: 'Very' } }],
    ['a column as a form sends it', { 4: { 31: 'Two\nlines' } }, { 4: { 31: 'Two\r\nlines' } }],
    ['a part of a ranking', { 5: { 22: 3 } }, { 5: { 22: 3 } }],
    ['a whole ranking', { 5: { 21: 3, 22: 1, 23: 2 } }, { 5: { 21: 3, 22: 1, 23: 2 } }],
  ])('takes %s', (_, submitted, stored) => {
    expect(judge(submitted)).toEqual({ answers: stored, problems: [] });
  });

  it.each<[what: string, submitted: Record<string, unknown>, path: (string | number)[], type: string]>([
    ['an unknown question', { 99: 'x' }, ['99'], 'unknown_question'],
    ['a question of a name that objects have', { constructor: 'x' }, ['constructor'], 'unknown_question'],
    ['a text that is a number', { 1: 5 }, ['1'], 'string_type'],
    ['two texts', { 1: ['a', 'b'] }, ['1'], 'string_type'],
    ['a text of 5,001 characters', { 1: 'ế'.repeat(5_001) }, ['1'], 'string_too_long'],
    ['a text with a NUL', { 1: 'a\0' }, ['1'], 'string_unicode'],
    ['a text with half a character', { 1: 'a\ud800' }, ['1'], 'string_unicode'],
    ['an unknown option', { 2: '99' }, ['2'], 'unknown_option'],
    ["an option's title", { 2: 'Price' }, ['2'], 'unknown_option'],
    ['an option of a name that objects have', { 2: 'toString' }, ['2'], 'unknown_option'],
    ['an option that is a number', { 2: 22 }, ['2'], 'string_type'],
    ['two options where one can be chosen', { 2: ['21', '22'] }, ['2'], 'string_type'],
    ['a checkbox that is no list', { 3: '21' }, ['3'], 'list_type'],
    ['an unknown option of a list', { 3: ['21', '99'] }, ['3', 1], 'unknown_option'],
    ['an option chosen twice', { 3: ['21', '22', '21'] }, ['3', 2], 'duplicate_option'],
    ['a matrix that is text', { 4: 'Very' }, ['4'], 'dict_type'],
    ['a matrix that is a list', { 4: ['Very'] }, ['4'], 'dict_type'],
    ['an unknown row', { 4: { 99: 'Very' } }, ['4', '99'], 'unknown_row'],
    ['an unknown column', { 4: { 31: 'Sometimes' } }, ['4', '31'], 'unknown_column'],
    ['two columns of a row', { 4: { 31: ['Very', 'Not at all'] } }, ['4', '31'], 'string_type'],
    ['an unknown option in a ranking', { 5: { 99: 1 } }, ['5', '99'], 'unknown_option'],
    ['rank 0', { 5: { 21: 0 } }, ['5', '21'], 'rank_out_of_range'],
    ['a rank beyond the options', { 5: { 21: 4 } }, ['5', '21'], 'rank_out_of_range'],
    ['half a rank', { 5: { 21: 1.5 } }, ['5', '21'], 'rank_out_of_range'],
    ['a rank that is text', { 5: { 21: '1' } }, ['5', '21'], 'rank_out_of_range'],
  ])('refuses %s', (_, submitted, loc, type) => {
    const { problems } = judge(submitted);
    const [questionId, ...path] = loc;
    expect(problems).toEqual([{ questionId, path, type }]);
  });

  it('refuses ranks that are given twice, at each of them', () => {
    const { problems } = judge({ 5: { 21: 1, 22: 2, 23: 1 } });
    expect(problems).toEqual([
      { questionId: '5', path: ['21'], type: 'rank_tied' },
      { questionId: '5', path: ['23'], type: 'rank_tied' },
    ]);
  });

  it('lists everything that is wrong at once, and keeps the answers that are right', () => {
    const { answers, problems } = judge({ 1: 'good', 2: '99', 3: ['98', '97'], 99: 1 });
    expect(answers).toEqual({ 1: 'good' });
    expect(problems.map(({ questionId, path }) => [questionId, ...path])).toEqual([
      ['2'],
      ['3', 0],
      ['3', 1],
      ['99'],
    ]);
  });

  const scalar = fc.oneof(
    fc.constantFrom('21', '22', '99', 'Very', 'Not at all', '', null, 1, 2, 3, 4),
    fc.string({ unit: 'binary' }),
    fc.integer(),
  );
  const anyAnswer = fc.oneof(
    scalar,
    fc.array(scalar, { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom('21', '22', '23', '31', '32', '__proto__'), fc.string()), scalar),
    fc.jsonValue({ maxDepth: 3 }),
  );
  const anySubmission = fc.dictionary(fc.constantFrom('1', '2', '3', '4', '5', '6'), anyAnswer);

  it('takes nothing that the intake of records would refuse, and nothing that is empty', () => {
    fc.assert(
      fc.property(anySubmission, (submitted) => {
        const { answers } = judge(submitted);
        expect([...checkRecordedAnswers(answers, questionsById(QUESTIONS))]).toEqual([]);
        for (const answer of Object.values(answers)) {
          expect(isJsonObject(answer) ? Object.keys(answer) : answer).not.toHaveLength(0);
        }
        const texts = JSON.stringify(answers);
        expect(texts).not.toContain('\\u0000');
        expect([...((answers['1'] as string) ?? '')].length).toBeLessThanOrEqual(MAX_ANSWER_CHARACTERS);
      }),
    );
  });

  it('answers or refuses each question that is not empty, never both', () => {
    fc.assert(
      fc.property(anySubmission, (submitted) => {
        const { answers, problems } = judge(submitted);
        const refused = new Set(problems.map(({ questionId }) => questionId));
        expect(Object.keys(answers).filter((id) => refused.has(id))).toEqual([]);
      }),
    );
  });

  const answersThatFit = fc.record(
    {
      '1': fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
      '2': fc.constantFrom(...Object.keys(OPTIONS)),
      '3': fc.subarray(Object.keys(OPTIONS), { minLength: 1 }),
      '4': fc.record(
        { '31': fc.constantFrom('Not at all', 'Very'), '32': fc.constantFrom('Not at all', 'Very') },
        { requiredKeys: [] },
      ),
      '5': fc
        .shuffledSubarray([1, 2, 3], { minLength: 3 })
        .map(([first, second, third]) => ({ '21': first, '22': second, '23': third })),
    },
    { requiredKeys: [] },
  );

  it('reads the same answers from a form and from JSON', () => {
    fc.assert(
      fc.property(answersThatFit, (submitted) => {
        const form = answersOfForm(parseForm(Buffer.from(formOf(submitted)))!, QUESTIONS);
        expect(judge(form)).toEqual(judge(submitted));
        expect(judge(submitted).problems).toEqual([]);
      }),
    );
  });
});

/** A form as a browser sends it. */
function formOf(answers: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(answers).flatMap(([id, answer]): [string, string][] => {
    if (Array.isArray(answer)) return answer.map((value) => [`q${id}`, String(value)]);
    if (!isJsonObject(answer)) return [[`q${id}`, String(answer).replace(/\r\n?|\n/g, '\r\n')]];
    return Object.entries(answer).map(([part, value]) => [`q${id}.${part}`, String(value)]);
  });
  return new URLSearchParams(fields).toString();
}
