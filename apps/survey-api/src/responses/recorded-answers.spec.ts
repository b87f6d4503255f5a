import { question } from '../../test/records';
import { questionsById } from '../campaigns/survey-question';
import { checkRecordedAnswers } from '../questions';

const options = { '1': 'Red', '2': 'Green', '3': 'Blue' };
const questions = questionsById([
  question(1, 'text'),
  question(2, 'multiple_choice', { option_titles_by_id: options }),
  question(3, 'checkbox', { option_titles_by_id: options }),
  question(4, 'matrix', { row_titles_by_id: { '1': 'Staff', '2': 'Price' }, column_titles: ['Good', 'Bad'] }),
  question(5, 'ranking', { option_titles_by_id: options }),
]);

describe('checkRecordedAnswers', () => {
  it.each([
    ['nothing', {}],
    ['questions that were not answered', { 1: null, 2: null, 3: null, 4: null, 5: null }],
    ['a text', { 1: 'Rất tốt 😀' }],
    ['a choice by id', { 2: '3' }],
    ['an "other" choice', { 2: 'other: violet' }],
    ['several choices, one of them "other"', { 3: ['1', 'other: violet'] }],
    ['no choice', { 3: [] }],
    ['some rows of a matrix', { 4: { 2: 'Bad' } }],
    ['a full ranking', { 5: { 1: 3, 2: 1, 3: 2 } }],
    ['a partial ranking', { 5: { 2: 1 } }],
    ['a question that the campaign does not have', { 9: { any: ['thing'] } }],
    ['a question id with a leading zero', { '01': 'x' }],
    ['an option that the question does not have', { 2: '9', 3: ['9'], 5: { 9: 1 } }],
    ['a row that the question does not have', { 4: { 3: 'Good', constructor: 'Good' } }],
    ['a column that the question does not have', { 4: { 1: 'Fine' } }],
    ['a rank beyond the options that are left', { 5: { 1: 4 } }],
  ])('accepts %s', (_, answers) => {
    expect([...checkRecordedAnswers(answers, questions)]).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    ['a number for a text', { 1: 5 }, '1', 'string_type'],
    ['a list for a text', { 1: ['x'] }, '1', 'string_type'],
    ['an option id that is no text', { 2: 3 }, '2', 'string_type'],
    ['a single choice for a checkbox', { 3: '1' }, '3', 'list_type'],
    ['a checkbox option id that is no text', { 3: ['1', 2] }, '3.1', 'string_type'],
    ['a text for a matrix', { 4: 'Good' }, '4', 'dict_type'],
    ['a matrix column that is no text', { 4: { 1: 1 } }, '4.1', 'string_type'],
    ['a list for a ranking', { 5: ['1', '2'] }, '5', 'dict_type'],
    ['rank 0', { 5: { 1: 0 } }, '5.1', 'rank_out_of_range'],
    ['a fractional rank', { 5: { 1: 1.5 } }, '5.1', 'rank_out_of_range'],
    ['a rank that is text', { 5: { 1: '1' } }, '5.1', 'rank_out_of_range'],
  ])('rejects %s with its place', (_, answers, place, type) => {
    const found = [...checkRecordedAnswers(answers, questions)];
    expect(found).toEqual([{ loc: expect.any(Array), type, msg: expect.any(String) }]);
    expect(found[0]!.loc.join('.')).toBe(`answers.${place}`);
  });

  it('lists every problem at once', () => {
    const answers = { 1: 5, 4: { 1: 1, 7: [] }, 9: 'x' };
    expect([...checkRecordedAnswers(answers, questions)].map(({ loc }) => loc.join('.'))).toEqual([
      'answers.1',
      'answers.4.1',
      'answers.4.7',
    ]);
  });
});
