import fc from 'fast-check';
import { question } from '../../test/records';
import { questionsById, type SurveyQuestion } from '../campaigns/survey-question';
import { isJsonObject } from '../json';
import { checkRecordedAnswers, checkTypedAnswers } from '../questions';
import { parseForm, preselectedAnswers, typedAnswers } from './form-fields';

const OPTIONS = { '21': 'Price', '22': 'Quality', '23': 'Staff', 'l\r\nm': 'Other' };

const QUESTIONS: SurveyQuestion[] = [
  question(1, 'text'),
  question(2, 'multiple_choice', { option_titles_by_id: OPTIONS }),
  question(3, 'checkbox', { option_titles_by_id: OPTIONS }),
  question(4, 'matrix', {
    row_titles_by_id: { '31': 'Delivery', '32': 'Packaging', 'a.b\nc=': 'Other' },
    column_titles: ['Not at all', 'Very', 'Two\r\nlines'],
  }),
  question(5, 'ranking', { option_titles_by_id: OPTIONS }),
];

function check(form: string) {
  const { answers, problems } = checkTypedAnswers(typedAnswers(parseForm(Buffer.from(form))!), QUESTIONS);
  return { answers, problems: Object.fromEntries(problems) };
}

describe('parseForm', () => {
  it('reads fields, repeated ones in their order', () => {
    expect(parseForm(Buffer.from('q3=21&q1=Xin+ch%C3%A0o+%2B&q3=23'))).toEqual(
      new Map([
        ['q3', ['21', '23']],
        ['q1', ['Xin chào +']],
      ]),
    );
  });

  it.each(['q1=%', 'q1=%zz', 'q1=%C3', 'q1=%FF', 'q1=%ED%A0%80', '%E1%BB=1'])('refuses %s', (body) => {
    expect(parseForm(Buffer.from(body))).toBeUndefined();
  });
});

describe('the answers of a form', () => {
  it.each<[what: string, form: string, answers: object]>([
    ['no answer', '', {}],
    ['fields that are no answers', 'identifier=1&q=1&qx=1&1=1&q1x=1&lang=1&__proto__=1', {}],
    ['fields that are empty', 'q1=&q2=&q3=&q4.31=&q5.21=', {}],
    ['a text of white space', 'q1= \r\n\t', {}],
    ['a text and ranks that nobody can see', 'q1=\u200b\u3164 \u00ad&q5.21=\u200b&q5.22= ', {}],
    ['a rank beside one that nobody can see', 'q5.21=\u2060&q5.22=1', { 5: { 22: 1 } }],
    ['a text', 'q1= Cảm ơn 😀 ', { 1: ' Cảm ơn 😀 ' }],
    ['a text with line breaks', 'q1=a\r\nb\rc\nd', { 1: 'a\nb\nc\nd' }],
    ['the longest text', `q1=${'😀'.repeat(5_000)}`, { 1: '😀'.repeat(5_000) }],
    ['the longest text, with line breaks', `q1=${'x\r\n'.repeat(2_500)}`, { 1: 'x\n'.repeat(2_500) }],
    ['a choice', 'q2=22', { 2: '22' }],
    ['a choice whose id has a line break', 'q2=l\nm', { 2: 'l\r\nm' }],
    ['one checkbox', 'q3=21', { 3: ['21'] }],
    ['checkboxes, one of them twice', 'q3=23&q3=21&q3=23', { 3: ['23', '21'] }],
    ['a part of a matrix', 'q4.32=Very&q4.31=', { 4: { 32: 'Very' } }],
    ['a row with dots and line breaks', 'q4.a.b\r\nc%3D=Two\r\nlines', { 4: { 'a.b\nc=': 'Two\r\nlines' } }],
    ['a part of a ranking', 'q5.22=3', { 5: { 22: 3 } }],
    ['ranks in digits of other scripts', 'q5.21= ３ &q5.22=١&q5.23=𝟚', { 5: { 21: 3, 22: 1, 23: 2 } }],
  ])('are accepted: %s', (_, form, answers) => {
    expect(check(form)).toEqual({ answers, problems: {} });
  });

  it.each<[what: string, form: string, problems: Record<string, string>]>([
    ['unknown questions', 'q99=x&q-5=y', { 99: 'unknown_question', '-5': 'unknown_question' }],
    ['two texts', 'q1=a&q1=b', { 1: 'changed_question' }],
    ['a text in parts', 'q1.1=a', { 1: 'changed_question' }],
    ['a text of 5,001 characters', `q1=${'ế'.repeat(5_001)}`, { 1: 'string_too_long' }],
    ['a text with a NUL', 'q1=a\0', { 1: 'string_unicode' }],
    ['an unknown option', 'q2=99', { 2: 'unknown_choice' }],
    ["an option's title", 'q2=Price', { 2: 'unknown_choice' }],
    ['an option of a name that objects have', 'q2=toString', { 2: 'unknown_choice' }],
    ['two options where one can be chosen', 'q2=21&q2=22', { 2: 'changed_question' }],
    ['a choice in parts', 'q2.1=21', { 2: 'changed_question' }],
    ['an unknown option of a list', 'q3=21&q3=99', { 3: 'unknown_choice' }],
    ['a matrix in one field', 'q4=Very', { 4: 'changed_question' }],
    ['a matrix with a value of its own', 'q4.31=Very&q4=x', { 4: 'changed_question' }],
    ['an unknown row', 'q4.__proto__=Very', { 4: 'changed_question' }],
    ['an unknown column', 'q4.31=Sometimes', { 4: 'unknown_choice' }],
    ['two columns of a row', 'q4.31=Very&q4.31=Not at all', { 4: 'changed_question' }],
    ['an unknown option in a ranking', 'q5.99=1', { 5: 'unknown_choice' }],
    ['two ranks of an option', 'q5.21=1&q5.21=2', { 5: 'rank_out_of_range' }],
    ['a rank that is given twice', 'q5.21=1&q5.22=2&q5.23=1', { 5: 'rank_tied' }],
    ...['0', '5', '-1', '1.5', '1e0', 'first', '9'.repeat(20)].map(
      (rank): [string, string, Record<string, string>] => [
        `rank ${rank}`,
        `q5.21=${rank}`,
        { 5: 'rank_out_of_range' },
      ],
    ),
  ])('are refused for %s', (_, form, problems) => {
    expect(check(form)).toEqual({ answers: {}, problems });
  });

  it('are never both accepted and refused, never empty, and always fit for the intake of records', () => {
    const value = fc.oneof(
      fc.constantFrom('21', '22', '99', 'Very', 'Not at all', '', '1', '2', '4', '5'),
      fc.string({ unit: 'binary' }),
    );
    const part = fc.oneof(fc.constantFrom('', '.21', '.22', '.31', '.32', '.__proto__'), fc.string());
    const field = fc
      .tuple(fc.constantFrom('q1', 'q2', 'q3', 'q4', 'q5', 'q6'), part)
      .map((names) => names.join(''));
    fc.assert(
      fc.property(fc.array(fc.tuple(field, value)), (form) => {
        const { answers, problems } = check(new URLSearchParams(form).toString());
        expect(Object.keys(answers).filter((id) => id in problems)).toEqual([]);
        expect([...checkRecordedAnswers(answers, questionsById(QUESTIONS))]).toEqual([]);
        for (const answer of Object.values(answers)) {
          expect(isJsonObject(answer) ? Object.keys(answer) : answer).not.toHaveLength(0);
        }
        expect(JSON.stringify(answers)).not.toContain('\\u0000');
      }),
    );
  });
});

describe('preselectedAnswers', () => {
  it.each<[what: string, query: Record<string, unknown>, chosen: Record<string, string[]>]>([
    ['nothing', { lang: 'vi' }, {}],
    ['an option', { q2: '23' }, { 2: ['23'] }],
    ['options of several questions', { q3: ['21', '23', '21'], q2: '22' }, { 2: ['22'], 3: ['21', '23'] }],
    ['those options that there are', { q3: ['22', '9', 'constructor'] }, { 3: ['22'] }],
    ['no option', { q2: '4', q3: ['9'] }, {}],
    ['an option whose id has a line break', { q2: 'l\nm' }, { 2: ['l\nm'] }],
    ['no option of a prototype', { q2: 'constructor', q3: '__proto__' }, {}],
    ['two options of one', { q2: ['21', '22'] }, {}],
    ['another question', { q9: '21', q: '21', q22: '21', 'q2.21': '21', q02: '21' }, {}],
    ['a text, a matrix, a ranking', { q1: '1', q4: 'Very', 'q4.31': 'Very', q5: '1', 'q5.21': '1' }, {}],
    ['an empty value', { q2: '', q3: [''] }, {}],
  ])('chooses for %s', (_, query, chosen) => {
    const answers = [...preselectedAnswers(query, QUESTIONS)];
    expect(Object.fromEntries(answers.map(([id, { own }]) => [id, own]))).toEqual(chosen);
  });
});
