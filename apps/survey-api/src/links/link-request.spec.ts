import { type InvalidItem, ProblemError } from '@cxp/error-envelopes';
import { parseLinkRequest } from './link-request';

function problemsOf(body: unknown): InvalidItem[] {
  try {
    parseLinkRequest(body);
    return [];
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'invalid') return [...error.problem.items];
    throw error;
  }
}

const withMapping = (metadata_mapping: unknown) => ({ name: 'Store 1', metadata_mapping });
const withValue = (value: unknown) => withMapping([{ metadata_id: 1, value }]);

describe('parseLinkRequest', () => {
  it('trims the name', () => {
    expect(parseLinkRequest({ name: ' \n Cửa hàng 1 ' })).toEqual({ name: 'Cửa hàng 1', mapping: [] });
  });

  it.each([
    ['absent', { name: 'a' }],
    ['null', { name: 'a', metadata_mapping: null }],
    ['empty', { name: 'a', metadata_mapping: [] }],
  ])('reads a mapping that is %s as no mapping', (_, body) => {
    expect(parseLinkRequest(body).mapping).toEqual([]);
  });

  it.each([
    ['a string', 'x'],
    ['an empty string', ''],
    ['2000 characters of two code units each', '😀'.repeat(2000)],
    ['an integer', 1],
    ['a float', 1.5],
    ['null', null],
    ['a list', ['a', 1, null, 2.5]],
    ['an empty list', []],
    ['a list of 200 strings of 2000 characters', Array<string>(200).fill('ế'.repeat(2000))],
  ])('accepts %s as a value', (_, value) => {
    expect(parseLinkRequest(withValue(value)).mapping).toEqual([{ metadata_id: 1, value }]);
  });

  it('reads an absent value as null', () => {
    expect(parseLinkRequest(withMapping([{ metadata_id: 7 }])).mapping).toEqual([
      { metadata_id: 7, value: null },
    ]);
  });

  it('accepts the largest legal mapping and ignores unknown fields', () => {
    const metadata_mapping = Array.from({ length: 200 }, (_, metadata_id) => ({
      metadata_id,
      value: '😀'.repeat(2000),
      note: 'ignored',
    }));
    const { mapping } = parseLinkRequest({ name: '😀'.repeat(255), metadata_mapping, color: 'red' });
    expect(mapping).toHaveLength(200);
    expect(mapping[0]).toEqual({ metadata_id: 0, value: '😀'.repeat(2000) });
  });

  it.each<[string, unknown, (string | number)[], string]>([
    ['a body that is a list', [], ['body'], 'dict_type'],
    ['a body that is null', null, ['body'], 'dict_type'],
    ['a body that is a string', 'name', ['body'], 'dict_type'],
    ['a missing name', {}, ['body', 'name'], 'missing'],
    ['a name that is null', { name: null }, ['body', 'name'], 'string_type'],
    ['a name that is a number', { name: 5 }, ['body', 'name'], 'string_type'],
    ['a blank name', { name: ' \t\n' }, ['body', 'name'], 'string_too_short'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, ['body', 'name'], 'string_too_long'],
    ['a name with a NUL', { name: 'a\0' }, ['body', 'name'], 'string_unicode'],
    ['a mapping that is an object', withMapping({}), ['body', 'metadata_mapping'], 'list_type'],
    ['a mapping that is a string', withMapping('x'), ['body', 'metadata_mapping'], 'list_type'],
    [
      '201 items',
      withMapping(Array.from({ length: 201 }, (_, metadata_id) => ({ metadata_id }))),
      ['body', 'metadata_mapping'],
      'too_long',
    ],
    ['an item that is null', withMapping([null]), ['body', 'metadata_mapping', 0], 'dict_type'],
    [
      'an item that is a number',
      withMapping([{ metadata_id: 1 }, 2]),
      ['body', 'metadata_mapping', 1],
      'dict_type',
    ],
    [
      'a missing metadata_id',
      withMapping([{ value: 1 }]),
      ['body', 'metadata_mapping', 0, 'metadata_id'],
      'missing',
    ],
    [
      'a metadata_id that is text',
      withMapping([{ metadata_id: '1' }]),
      ['body', 'metadata_mapping', 0, 'metadata_id'],
      'int_type',
    ],
    [
      'a fractional metadata_id',
      withMapping([{ metadata_id: 1.5 }]),
      ['body', 'metadata_mapping', 0, 'metadata_id'],
      'int_type',
    ],
    [
      'a metadata_id beyond exact integers',
      withMapping([{ metadata_id: 1e300 }]),
      ['body', 'metadata_mapping', 0, 'metadata_id'],
      'int_type',
    ],
    [
      'a metadata_id named twice',
      withMapping([{ metadata_id: 1 }, { metadata_id: 1 }]),
      ['body', 'metadata_mapping', 1, 'metadata_id'],
      'duplicate',
    ],
    ['a value that is true', withValue(true), ['body', 'metadata_mapping', 0, 'value'], 'value_type'],
    ['a value that is an object', withValue({}), ['body', 'metadata_mapping', 0, 'value'], 'value_type'],
    [
      'a value of 2001 characters',
      withValue('x'.repeat(2001)),
      ['body', 'metadata_mapping', 0, 'value'],
      'string_too_long',
    ],
    [
      'a value with half a character',
      withValue('\ud83d'),
      ['body', 'metadata_mapping', 0, 'value'],
      'string_unicode',
    ],
    [
      'a number too large for a float',
      withValue(JSON.parse('1e999')),
      ['body', 'metadata_mapping', 0, 'value'],
      'finite_number',
    ],
    [
      'a list of 201 items',
      withValue(Array(201).fill(1)),
      ['body', 'metadata_mapping', 0, 'value'],
      'too_long',
    ],
    ['a list in a list', withValue(['a', ['b']]), ['body', 'metadata_mapping', 0, 'value', 1], 'value_type'],
    [
      'a list item of 2001 characters',
      withValue(['x'.repeat(2001)]),
      ['body', 'metadata_mapping', 0, 'value', 0],
      'string_too_long',
    ],
  ])('rejects %s with its place', (_, body, loc, type) => {
    expect(problemsOf(body)).toEqual([{ loc, type, msg: expect.any(String) }]);
  });

  it('lists every problem at once', () => {
    const body = { metadata_mapping: [{ metadata_id: 'x', value: true }, { value: 'x'.repeat(2001) }] };
    expect(problemsOf(body).map(({ loc }) => loc.join('.'))).toEqual([
      'body.name',
      'body.metadata_mapping.0.metadata_id',
      'body.metadata_mapping.0.value',
      'body.metadata_mapping.1.metadata_id',
      'body.metadata_mapping.1.value',
    ]);
  });

  it('lists the first 100 problems of a body that is wrong in more places', () => {
    const problems = problemsOf({
      name: 'x',
      metadata_mapping: Array(200).fill({ value: Array(200).fill({}) }),
    });
    expect(problems).toHaveLength(100);
    expect(problems.at(-1)!.loc).toEqual(['body', 'metadata_mapping', 0, 'value', 98]);
  });
});
