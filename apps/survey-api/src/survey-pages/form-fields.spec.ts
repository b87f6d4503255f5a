import type { SurveyQuestion } from '../campaigns/survey-question';
import { answersOfForm, chosenFields, parseForm } from './form-fields';

function question(id: number, type: SurveyQuestion['type']): SurveyQuestion {
  const none = { option_titles_by_id: null, row_titles_by_id: null, column_titles: null };
  return { id, type, metric_type: null, title: `Question ${id}`, ...none };
}

const QUESTIONS = [
  question(1, 'text'),
  question(2, 'multiple_choice'),
  question(3, 'checkbox'),
  question(4, 'matrix'),
  question(5, 'ranking'),
];

const read = (body: string) => answersOfForm(parseForm(Buffer.from(body))!, QUESTIONS);

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

  it('has no fields that were not sent', () => {
    expect(parseForm(Buffer.from('__proto__=1&constructor=2&__proto__.x=3'))).toEqual(
      new Map([
        ['__proto__', ['1']],
        ['constructor', ['2']],
        ['__proto__.x', ['3']],
      ]),
    );
  });
});

describe('answersOfForm', () => {
  it.each<[what: string, body: string, answers: object]>([
    ['nothing', '', {}],
    ['fields that are no answers', 'identifier=x&q=1&qx=2&1=3&q1x=4&lang=vi', {}],
    ['a text', 'q1=Ng%C6%B0%E1%BB%9Di', { 1: 'Người' }],
    ['a text that is empty', 'q1=', {}],
    ['a choice', 'q2=7', { 2: '7' }],
    ['one checkbox', 'q3=21', { 3: ['21'] }],
    ['checkboxes', 'q3=21&q3=23', { 3: ['21', '23'] }],
    ['a matrix', 'q4.31=T%E1%BB%91t&q4.32=', { 4: { 31: 'Tốt' } }],
    ['a row with dots and signs in its id', 'q4.a.b%0Ac%3D=x', { 4: { 'a.b\nc=': 'x' } }],
    ['a ranking', 'q5.41=2&q5.42=&q5.43=1', { 5: { 41: 2, 43: 1 } }],
    ['a rank that is no number', 'q5.41=first', { 5: { 41: 'first' } }],
    ['a rank beyond all numbers', 'q5.41=99999999999999999999', { 5: { 41: '99999999999999999999' } }],
    ['a question that is unknown', 'q99=x&q-5=y', { 99: 'x', '-5': 'y' }],
    ['two values for one', 'q2=1&q2=2&q1=a&q1=b', { 1: ['a', 'b'], 2: ['1', '2'] }],
    ['two values for a row', 'q4.31=a&q4.31=b', { 4: { 31: ['a', 'b'] } }],
    ['a value and parts', 'q2=1&q2.3=2', { 2: [['1'], [['3', ['2']]]] }],
  ])('reads %s', (_, body, answers) => {
    expect(read(body)).toEqual(answers);
  });

  it('pollutes no prototype', () => {
    const answers = read('q4.__proto__=x&q5.constructor=1');
    expect(Object.keys(answers['4'] as object)).toEqual(['__proto__']);
    expect(Object.prototype).not.toHaveProperty('x');
    expect(({} as Record<string, unknown>)['31']).toBeUndefined();
  });
});

describe('chosenFields', () => {
  const titles = { '1': 'One', '2': 'Two', '3': 'Three', 'l\r\nm': 'Four' };
  const questions = QUESTIONS.map((question) => ({
    ...question,
    option_titles_by_id: titles,
    row_titles_by_id: titles,
    column_titles: ['1', '2'],
  }));

  it.each<[what: string, query: Record<string, unknown>, chosen: Record<string, string[]>]>([
    ['nothing', { lang: 'vi' }, {}],
    ['an option', { q2: '3' }, { q2: ['3'] }],
    ['options of several questions', { q3: ['1', '3', '1'], q2: '2' }, { q2: ['2'], q3: ['1', '3'] }],
    ['one of several options', { q3: '2' }, { q3: ['2'] }],
    ['those options that there are', { q3: ['2', '9', 'constructor'] }, { q3: ['2'] }],
    ['no option', { q2: '4', q3: ['9'] }, {}],
    ['an option whose id has a line break', { q2: 'l\nm' }, { q2: ['l\nm'] }],
    ['no option of a prototype', { q2: 'constructor', q3: '__proto__' }, {}],
    ['two options of one', { q2: ['1', '2'] }, {}],
    ['another question', { q9: '1', q: '1', q22: '1', 'q2.1': '1', q02: '1' }, {}],
    ['a text, a matrix, a ranking', { q1: '1', q4: '1', 'q4.1': '1', q5: '1', 'q5.1': '1' }, {}],
    ['an empty value', { q2: '', q3: [''] }, {}],
  ])('chooses for %s', (_, query, chosen) => {
    expect(Object.fromEntries(chosenFields(query, questions))).toEqual(chosen);
  });
});
