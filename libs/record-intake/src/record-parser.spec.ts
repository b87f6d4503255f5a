import { RecordParser } from './record-parser';

const parser = new RecordParser({
  schemas: {
    fruit: {
      type: 'object',
      required: ['id', 'name'],
      properties: {
        id: { type: 'integer' },
        name: { type: 'string', maxLength: 5 },
        kind: { enum: ['pome', 'citrus'] },
        pickedAt: { type: ['string', 'null'], format: 'instant' },
        uuid: { type: 'string', format: 'uuid' },
        date: { type: 'string', format: 'date' },
        opens: { type: 'string', format: 'wall-time' },
        seeds: {
          type: 'array',
          items: { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
        },
        notes: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    basket: { type: 'object' },
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

describe('a bad line is told by', () => {
  it.each<[string, unknown, [path: (string | number)[], msg: string, type: string][]]>([
    ['no JSON', '{', [[[], 'line must be valid JSON in UTF-8', 'json_invalid']]],
    ['two values', '{} {}', [[[], 'line must be valid JSON in UTF-8', 'json_invalid']]],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), [[[], 'line must be valid JSON in UTF-8', 'json_invalid']]],
    [
      'nested beyond reason',
      '['.repeat(200_000) + '\\u0000',
      [[[], 'line must be valid JSON in UTF-8', 'json_invalid']],
    ],
    ['null', 'null', [[[], 'record must be an object', 'dict_type']]],
    ['a list', '[]', [[[], 'record must be an object', 'dict_type']]],
    ['a text', '"fruit"', [[[], 'record must be an object', 'dict_type']]],
    ['no type', { data: {} }, [[['type'], 'Field required', 'missing']]],
    [
      'an unknown type',
      { type: 'tree', data: {} },
      [[['type'], 'record type must be one of: fruit, basket', 'enum']],
    ],
    [
      'a type of an object',
      { type: 'constructor', data: {} },
      [[['type'], 'record type must be one of: fruit, basket', 'enum']],
    ],
    [
      'a type that is no text',
      { type: 1, data: {} },
      [[['type'], 'record type must be one of: fruit, basket', 'enum']],
    ],
    ['no data', { type: 'fruit' }, [[['data'], 'Field required', 'missing']]],
    [
      'data null',
      { type: 'fruit', data: null },
      [[['data'], 'Input should be a valid object', 'object_type']],
    ],
    [
      'everything missing',
      { type: 'fruit', data: {} },
      [
        [['data', 'id'], 'Field required', 'missing'],
        [['data', 'name'], 'Field required', 'missing'],
      ],
    ],
    [
      'a wrong type',
      fruit({ id: '1' }),
      [[['data', 'id'], 'Input should be a valid integer', 'integer_type']],
    ],
    ['a fraction', fruit({ id: 1.5 }), [[['data', 'id'], 'Input should be a valid integer', 'integer_type']]],
    [
      'one of two types',
      fruit({ pickedAt: 5 }),
      [[['data', 'pickedAt'], 'Input should be a valid string or null', 'string_type']],
    ],
    [
      'an unknown word',
      fruit({ kind: 'nut' }),
      [[['data', 'kind'], 'Input should be one of: pome,citrus', 'enum']],
    ],
    [
      'too many characters',
      fruit({ name: '😀😀😀😀😀😀' }),
      [[['data', 'name'], 'Input must NOT have more than 5 characters', 'string_too_long']],
    ],
    [
      'a time without an offset',
      fruit({ pickedAt: '2026-01-05T02:11:09' }),
      [[['data', 'pickedAt'], 'Input should be a valid instant', 'instant_parsing']],
    ],
    [
      'a date that is not in the calendar',
      fruit({ date: '2026-02-30' }),
      [[['data', 'date'], 'Input should be a valid date', 'date_parsing']],
    ],
    [
      'a time of day that does not exist',
      fruit({ opens: '24:01' }),
      [[['data', 'opens'], 'Input should be a valid wall-time', 'wall_time_parsing']],
    ],
    [
      'an item of a list',
      fruit({ seeds: [{ size: 1 }, { size: 0 }] }),
      [[['data', 'seeds', 1, 'size'], 'Input must be >= 1', 'greater_than_equal']],
    ],
    [
      'a property with a number or a slash for its name',
      fruit({ notes: { 5: 1, 'a/b~c': 1 } }),
      [
        [['data', 'notes', '5'], 'Input should be a valid string', 'string_type'],
        [['data', 'notes', 'a/b~c'], 'Input should be a valid string', 'string_type'],
      ],
    ],
    [
      'text that can not be stored',
      '{"type":"fruit","data":{"id":1,"name":"\\u0000","notes":{"x":"\\udc00"}}}',
      [
        [['data', 'name'], 'text must be Unicode without NUL', 'string_unicode'],
        [['data', 'notes', 'x'], 'text must be Unicode without NUL', 'string_unicode'],
      ],
    ],
  ])('%s', (_, line, problems) => {
    expect(parse(line)).toEqual(
      problems.map(([path, msg, type]) => ({ loc: ['body', 7, ...path], msg, type })),
    );
  });

  it('its length', () => {
    expect(parser.parse({ number: 7, bytes: undefined })).toEqual([
      { loc: ['body', 7], msg: 'line is longer than 1 MiB', type: 'line_too_long' },
    ]);
  });
});
