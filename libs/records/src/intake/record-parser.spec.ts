import type { InvalidItem } from '@cxp/error-envelopes';
import { Type } from '@sinclair/typebox';
import { RecordParser } from './record-parser';

const parser = new RecordParser({
  types: {
    fruit: {
      data: Type.Object({
        id: Type.Integer(),
        name: Type.String({ maxLength: 5 }),
        kind: Type.Optional(Type.Unsafe<string>({ enum: ['pome', 'citrus'] })),
        pickedAt: Type.Optional(
          Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' }),
        ),
        uuid: Type.Optional(Type.String({ format: 'uuid' })),
        date: Type.Optional(Type.String({ format: 'date' })),
        opens: Type.Optional(Type.String({ format: 'wall-time' })),
        seeds: Type.Optional(Type.Array(Type.Object({ size: Type.Optional(Type.Integer({ minimum: 1 })) }))),
        notes: Type.Optional(
          Type.Unsafe<object>({ type: 'object', additionalProperties: { type: 'string' } }),
        ),
      }),
      key: 'id',
      removable: true,
    },
    basket: { data: Type.Object({}), key: null, removable: false },
    box: { data: Type.Object({ lid: Type.Integer() }), key: null, removable: false, maxBytes: 128 * 1024 },
  },
});

function parse(line: unknown) {
  const bytes = Buffer.isBuffer(line)
    ? line
    : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
  return parser.parse({ number: 7, bytes });
}

const fruit = (data: object) => ({ type: 'fruit', data: { id: 1, name: 'apple', ...data } });

describe('a sound line', () => {
  it.each<[string, object]>([
    ['with what is required', {}],
    ['with unknown fields', { colour: 'red' }],
    ['with null where it is allowed', { pickedAt: null }],
    [
      'with every format',
      {
        pickedAt: '2026-01-05T02:11:09.000+07:00',
        uuid: '0D9F5B1C-57A4-4F0B-9A53-6D2F3A3F7A11',
        date: '2024-02-29',
        opens: '24:00',
      },
    ],
    ['with characters beyond the first plane', { name: '😀🍎' }],
    ['with 5 characters, counted as code points', { name: '😀😀😀😀😀' }],
  ])('is a record %s', (_, data) => {
    expect(parse(fruit(data))).toEqual({ line: 7, ...fruit(data) });
  });

  it('may begin with a byte order mark and hold escapes', () => {
    expect(parse('\ufeff{"type":"fruit","data":{"id":1,"name":"\\ud83d\\ude00\\u00e9"}}')).toMatchObject({
      data: { name: '😀é' },
    });
  });
});

describe('a bad line is named by', () => {
  const noJson = '[] record must be valid JSON in UTF-8 (json_invalid)';
  const noObject = '[] record must be an object (dict_type)';
  const noType = '["type"] record type must be one of: fruit, basket, box (enum)';
  const noInteger = '["data","id"] Input should be a valid integer (integer_type)';
  const noText = 'text must be Unicode without NUL (string_unicode)';
  const deep = '['.repeat(30_000) + ']'.repeat(30_000);
  const many = `{"type":"basket","data":[${'0,'.repeat(19_998)}0]}`;
  const unstorable = '{"type":"fruit","data":{"id":1,"name":"\\u0000","notes":{"x":"\\udc00"}}}';

  /** Path, message and type of each problem. */
  it.each<[string, unknown, ...string[]]>([
    ['no JSON', '{', noJson],
    ['two values', '{} {}', noJson],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), noJson],
    ['too deep', deep, '[] record must not be nested deeper than 64 levels (recursion_loop)'],
    ['too many', many, '[] record must not hold more than 20000 members and elements in all (too_large)'],
    ['null', 'null', noObject],
    ['a list', '[]', noObject],
    ['a text', '"fruit"', noObject],
    ['no type', { data: {} }, '["type"] Field required (missing)'],
    ['an unknown type', { type: 'tree', data: {} }, noType],
    ['a type of an object', { type: 'constructor', data: {} }, noType],
    ['a type that is no text', { type: 1, data: {} }, noType],
    ['no data', { type: 'fruit' }, '["data"] Field required (missing)'],
    ['null', { type: 'fruit', data: null }, '["data"] Input should be a valid object (object_type)'],
    [
      'everything missing',
      { type: 'fruit', data: {} },
      '["data","id"] Field required (missing)',
      '["data","name"] Field required (missing)',
    ],
    ['a wrong type', fruit({ id: '1' }), noInteger],
    ['a fraction', fruit({ id: 1.5 }), noInteger],
    [
      'one of two types',
      fruit({ pickedAt: 5 }),
      '["data","pickedAt"] Input should be a valid string or null (string_type)',
    ],
    ['a word', fruit({ kind: 'nut' }), '["data","kind"] Input should be one of: pome,citrus (enum)'],
    [
      'too many characters',
      fruit({ name: '😀😀😀😀😀😀' }),
      '["data","name"] Input must NOT have more than 5 characters (too_large)',
    ],
    [
      'a time without an offset',
      fruit({ pickedAt: '2026-01-05T02:11:09' }),
      '["data","pickedAt"] Input should be a valid instant (instant_parsing)',
    ],
    ['a date', fruit({ date: '2026-02-30' }), '["data","date"] Input should be a valid date (date_parsing)'],
    [
      'a time of day',
      fruit({ opens: '24:01' }),
      '["data","opens"] Input should be a valid wall-time (wall_time_parsing)',
    ],
    [
      'an item of a list',
      fruit({ seeds: [{ size: 1 }, { size: 0 }] }),
      '["data","seeds",1,"size"] Input must be >= 1 (greater_than_equal)',
    ],
    [
      'a property with a number or a slash for its name',
      fruit({ notes: { 5: 1, 'a/b~c': 1 } }),
      '["data","notes","5"] Input should be a valid string (string_type)',
      '["data","notes","a/b~c"] Input should be a valid string (string_type)',
    ],
    [
      'text that can not be stored',
      unstorable,
      `["data","name"] ${noText}`,
      `["data","notes","x"] ${noText}`,
    ],
  ])('%s', (_, line, ...problems) => {
    const found = parse(line) as InvalidItem[];
    expect(
      found.map(({ loc: [, , ...path], msg, type }) => `${JSON.stringify(path)} ${msg} (${type})`),
    ).toEqual(problems);
    for (const { loc } of found) expect(loc.slice(0, 2)).toEqual(['body', 7]);
  });
});

describe('a number of a record', () => {
  const withNumber = (number: string) =>
    `{"type":"fruit","data":{"id":1,"name":"apple","unknown":{"at":["5",${number}]}}}`;

  it.each<[string, number]>([
    ['9007199254740991', 9007199254740991],
    ['-9007199254740991.0', -9007199254740991],
    ['9.007199254740991e15', 9007199254740991],
    ['900719925474099100e-2', 9007199254740991],
    ['0.1234567890123456789', 0.12345678901234568],
    ['4503599627370496.5', 4503599627370496.5],
    ['1e-400', 0],
    ['1e3', 1000],
    ['5.0', 5],
  ])('may be %s', (text, number) => {
    expect(parse(withNumber(text))).toMatchObject({ data: { unknown: { at: ['5', number] } } });
  });

  it.each([
    ['1e400', 'finite_number'],
    ['-1e400', 'finite_number'],
    [`1${'0'.repeat(309)}`, 'finite_number'],
    ['9007199254740992', 'safe_integer'],
    ['9007199254740993', 'safe_integer'],
    ['-9007199254740992', 'safe_integer'],
    ['9007199254740992.0', 'safe_integer'],
    ['9.007199254740992e15', 'safe_integer'],
    ['1e16', 'safe_integer'],
    ['1.5e300', 'safe_integer'],
  ])('is refused at its field if it is %s: %s', (text, type) => {
    expect(parse(withNumber(text))).toMatchObject([{ loc: ['body', 7, 'data', 'unknown', 'at', 1], type }]);
    const key = `{"type":"fruit","op":"delete","data":{"id":${text}}}`;
    expect(parse(key)).toMatchObject([{ loc: ['body', 7, 'data', 'id'], type }]);
    expect(parse(withNumber('1').replace('{', `{"beside":${text},`))).toMatchObject([
      { loc: ['body', 7, 'beside'], type },
    ]);
  });

  it('may be written in a text', () => {
    expect(parse(fruit({ unknown: '1e400' }))).toMatchObject({ data: { unknown: '1e400' } });
  });

  it('is one of ten that are named', () => {
    expect(parse(withNumber(Array(30).fill('1e400').join(',')))).toHaveLength(10);
  });
});

describe('a record', () => {
  const recordOf = (type: 'box' | 'basket', bytes: number) => {
    const line = `{"type":"${type}","data":{"lid":1,"unknown":""}}`;
    return line.replace('""', `"${'x'.repeat(bytes - line.length)}"`);
  };

  it.each([
    ['basket', 64],
    ['box', 128],
  ] as const)('of type %s may have %i KiB, unknown fields included, and no byte more', (type, kibibytes) => {
    expect(parse(recordOf(type, kibibytes * 1024))).toMatchObject({ line: 7, type });
    const line = recordOf(type, kibibytes * 1024 + 1);
    const msg = 'a record must be at most 64 KiB as text, box 128 KiB';
    for (const text of [line, line.replace('"lid":1', '"lid":[]')])
      expect(parse(text)).toEqual([{ loc: ['body', 7], msg, type: 'too_large' }]);
  });
});
