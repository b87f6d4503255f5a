import { type InvalidItem, ProblemError } from '@cxp/error-envelopes';
import { readCreateLink } from './link.dto';

async function problemsOf(body: unknown): Promise<readonly InvalidItem[]> {
  try {
    await readCreateLink(body);
    return [];
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'invalid') return error.problem.items;
    throw error;
  }
}

const withMapping = (metadata_mapping: unknown) => ({ name: 'Store 1', metadata_mapping });
const withValue = (value: unknown) => withMapping([{ metadata_id: 1, value }]);
const FIELD = 'metadata_mapping.0.metadata_id';
const VALUE = 'metadata_mapping.0.value';

describe('readCreateLink', () => {
  it('trims the name', async () => {
    expect(await readCreateLink({ name: ' \n Cửa hàng 1 ' })).toEqual({
      name: 'Cửa hàng 1',
      metadata_mapping: [],
    });
  });

  it.each([
    ['a string', 'x'],
    ['an empty string', ''],
    ['2000 characters of two code units each', '😀'.repeat(2000)],
    ['an integer', 1],
    ['a float', 1.5],
    ['null', null],
    ['an empty list', []],
    ['any JSON in a list', ['a', 1, null, 2.5, true, { a: [{}] }]],
  ])('accepts %s as a value', async (_, value) => {
    expect((await readCreateLink(withValue(value))).metadata_mapping).toEqual([{ metadata_id: 1, value }]);
  });

  it('ignores members that it does not know', async () => {
    const metadata_mapping = [{ metadata_id: 7, note: 'ignored' }];
    expect(await readCreateLink({ name: 'x', metadata_mapping, color: 'red' })).toEqual({
      name: 'x',
      metadata_mapping: [{ metadata_id: 7, value: null }],
    });
  });

  it.each<[string, unknown, string, string]>([
    ['a body that is a list', [], '', 'dict_type'],
    ['a body that is null', null, '', 'dict_type'],
    ['a body that is a string', 'name', '', 'dict_type'],
    ['a missing name', {}, 'name', 'missing'],
    ['a name that is null', { name: null }, 'name', 'string_type'],
    ['a blank name', { name: ' \t\n' }, 'name', 'string_too_short'],
    ['a name that nobody can see', { name: ' \u200b\u3164' }, 'name', 'string_too_short'],
    ['a name of 256 characters', { name: 'x'.repeat(256) }, 'name', 'string_too_long'],
    ['a name with a NUL', { name: 'a\0' }, 'name', 'string_unicode'],
    ['a mapping that is an object', withMapping({}), 'metadata_mapping', 'list_type'],
    ['a mapping that is a string', withMapping('x'), 'metadata_mapping', 'list_type'],
    ['201 items', withMapping(Array(201).fill({ metadata_id: 1 })), 'metadata_mapping', 'too_long'],
    ['an item that is null', withMapping([null]), FIELD, 'missing'],
    ['an item that is a number', withMapping([2]), FIELD, 'missing'],
    ['a missing metadata_id', withMapping([{ value: 1 }]), FIELD, 'missing'],
    ['a metadata_id that is text', withMapping([{ metadata_id: '1' }]), FIELD, 'int_type'],
    ['a fractional metadata_id', withMapping([{ metadata_id: 1.5 }]), FIELD, 'int_type'],
    ['a metadata_id beyond exact integers', withMapping([{ metadata_id: 1e300 }]), FIELD, 'less_than_equal'],
    ['a value that is true', withValue(true), VALUE, 'value_type'],
    ['a value that is an object', withValue({}), VALUE, 'value_type'],
    ['a value of 2001 characters', withValue('x'.repeat(2001)), VALUE, 'string_too_long'],
    [
      'a list with a text of 2001 characters',
      withValue([{ a: ['x'.repeat(2001)] }]),
      VALUE,
      'string_too_long',
    ],
    [
      'a list with a name of 2001 characters',
      withValue([{ ['x'.repeat(2001)]: 1 }]),
      VALUE,
      'string_too_long',
    ],
    ['a list with a NUL', withValue([{ a: ['\0'] }]), `${VALUE}.0.a.0`, 'string_unicode'],
    ['a value with half a character', withValue('\ud83d'), VALUE, 'string_unicode'],
    ['a number too large for a float', withValue(JSON.parse('1e999')), VALUE, 'finite_number'],
    [
      'a number too large for a float in a list',
      withValue(JSON.parse('[{"a":1e999}]')),
      VALUE,
      'finite_number',
    ],
    ['a list of more than 32 KiB in UTF-8', withValue(Array(11).fill('ế'.repeat(999))), VALUE, 'too_large'],
    [
      'a member whose name has half a character',
      withValue([{ '\ud83d': 1 }]),
      `${VALUE}.0.\ud83d`,
      'string_unicode',
    ],
  ])('rejects %s with its place', async (_, body, place, type) => {
    const problems = await problemsOf(body);
    expect(problems).toEqual([{ loc: expect.any(Array), type, msg: expect.any(String) }]);
    expect(problems[0]!.loc.join('.')).toBe(['body', place].filter(Boolean).join('.'));
  });

  it('lists every problem at once', async () => {
    const body = { metadata_mapping: [{ metadata_id: 'x', value: true }, { value: 'x'.repeat(2001) }] };
    expect((await problemsOf(body)).map(({ loc }) => loc.join('.'))).toEqual([
      'body.name',
      'body.metadata_mapping.0.metadata_id',
      'body.metadata_mapping.0.value',
      'body.metadata_mapping.1.metadata_id',
      'body.metadata_mapping.1.value',
    ]);
  });

  it('lists the first 100 problems of a body that is wrong in more places', async () => {
    expect(await problemsOf({ name: 'x', metadata_mapping: Array(200).fill({ value: {} }) })).toHaveLength(
      100,
    );
  });
});
