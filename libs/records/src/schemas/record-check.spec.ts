import type { InvalidItem } from '@cxp/error-envelopes';
import { contactCenterRecordTypes } from './contact-center-records';
import { RecordCheck } from './record-check';
import type { RecordTypes } from './record-types';
import { surveyRecordTypes } from './survey-records';
import { webchatRecordTypes } from './webchat-records';

const areas: readonly (readonly [string, RecordTypes, string])[] = [
  ['webchat', webchatRecordTypes, ''],
  [
    'contact-center',
    contactCenterRecordTypes,
    'conversation by id, activity by id, message by id, ticket by id, conversation_survey by id',
  ],
  ['survey', surveyRecordTypes, 'survey_response by identifier'],
];

it.each(areas)('the removable records of %s are those of the decisions', (_, types, expected) => {
  const removable = Object.entries(types).filter(([, { removable }]) => removable);
  expect(removable.map(([name, { key }]) => `${name} by ${key}`).join(', ')).toBe(expected);
});

it.each(
  areas.flatMap(([area, types]) =>
    Object.entries(types).map(([name, type]) => [area, name, types, type] as const),
  ),
)('%s: a key of %s is a required field of its data', (_area, name, types, { key, data, removable }) => {
  if (key !== null) expect(data.required).toContain(key);
  const removal = { type: name, op: 'delete', data: {} };
  expect(new RecordCheck(types).check(removal)).toEqual({
    problems: [
      removable
        ? { loc: ['data', key], msg: 'Field required', type: 'missing' }
        : { loc: ['op'], msg: `records of type ${name} cannot be removed`, type: 'enum' },
    ],
  });
});

describe('a removal', () => {
  const records = new RecordCheck(contactCenterRecordTypes);

  it.each([
    ['needs only the key', { id: 1001 }],
    ['may carry updatedAt', { id: 1001, updatedAt: '2026-01-05T02:11:09+07:00' }],
    ['may carry a null updatedAt', { id: 1001, updatedAt: null }],
    ['may carry other fields', { id: 1001, createdAt: 'yesterday' }],
  ])('%s', (_, data) => {
    const removal = { type: 'ticket', op: 'delete', data };
    expect(records.check(removal)).toEqual({ record: removal });
  });

  it.each(['remove', null])('is no record with the op %j', (op) => {
    expect(records.check({ type: 'ticket', op, data: { id: 1001 } })).toEqual({
      problems: [{ loc: ['op'], msg: 'op must be one of: upsert, delete', type: 'enum' }],
    });
  });

  it.each([
    ['conversation', 'erased', { reason: 'erased' }],
    ['conversation', 'removed', {}],
    // Of another type it is an unknown field.
    ['ticket', 'erased', {}],
  ])('of a %s may have the reason %s', (type, reason, kept) => {
    const removal = { type, op: 'delete', data: { id: type === 'ticket' ? 1001 : 'c-1' } };
    expect(records.check({ ...removal, reason })).toEqual({ record: { ...removal, ...kept } });
  });

  it('of a conversation with another reason is refused', () => {
    expect(
      records.check({ type: 'conversation', op: 'delete', reason: 'expired', data: { id: 'c-1' } }),
    ).toEqual({
      problems: [{ loc: ['reason'], msg: 'reason must be one of: removed, erased', type: 'enum' }],
    });
  });

  it('is refused with everything that is wrong', () => {
    expect(
      records.check({ type: 'ticket', op: 'delete', data: { id: '1', updatedAt: 'yesterday' } }),
    ).toEqual({
      problems: [
        { loc: ['data', 'id'], msg: 'Input should be a valid integer', type: 'integer_type' },
        { loc: ['data', 'updatedAt'], msg: 'Input should be a valid instant', type: 'instant_parsing' },
      ],
    });
  });
});

describe('a human schedule', () => {
  const records = new RecordCheck(contactCenterRecordTypes);
  const hours = { start: '09:00', end: '18:00' };
  const weekly = (count: number) => Array.from({ length: count }, () => ({ weekday: 1, ...hours }));
  const exceptions = (count: number, intervals: number) =>
    Array.from({ length: count }, (_, day) => ({
      date: new Date(Date.UTC(2026, 0, 5 + day)).toISOString().slice(0, 10),
      intervals: Array.from({ length: intervals }, () => hours),
    }));

  it.each<[number, string, (count: number) => object, readonly (string | number)[]]>([
    [200, 'weekly intervals', (count) => ({ weekly: weekly(count) }), ['weekly']],
    [1_000, 'exceptions', (count) => ({ weekly: [], exceptions: exceptions(count, 1) }), ['exceptions']],
    [
      20,
      'intervals in an exception',
      (count) => ({ weekly: [], exceptions: exceptions(1, count) }),
      ['exceptions', 0, 'intervals'],
    ],
  ])('may have %i %s, and no more', (limit, _, dataOf, path) => {
    const check = (count: number) => records.check({ type: 'human_schedule', data: dataOf(count) });
    expect(check(limit)).toHaveProperty('record');
    const msg = `Input must have at most ${limit} items`;
    expect(check(limit + 1)).toEqual({ problems: [{ loc: ['data', ...path], msg, type: 'too_large' }] });
  });

  it('is refused with exceptions of one date at each later one, whatever their intervals', () => {
    const dates = ['2026-01-05', '2026-01-06', '2026-01-05', '2026-01-05'];
    const exceptions = dates.map((date) => ({ date, intervals: [] }));
    const data = { weekly: [], exceptions };
    const problem = { msg: 'Each date can have one exception only', type: 'duplicate' };
    expect(records.check({ type: 'human_schedule', data })).toEqual({
      problems: [2, 3].map((index) => ({ loc: ['data', 'exceptions', index, 'date'], ...problem })),
    });
  });
});

describe('a record with very many problems', () => {
  const many = <Item>(item: Item) => Array.from({ length: 19_000 }, () => item);
  const cases: [string, RecordTypes, object][] = [
    ['survey_campaign', surveyRecordTypes, { touchpoints: many(0) }],
    ['survey_campaign', surveyRecordTypes, { survey_questions: many({}) }],
    ['survey_response', surveyRecordTypes, { tags: many(0) }],
    ['human_schedule', contactCenterRecordTypes, { weekly: many({}) }],
    ['human_schedule', contactCenterRecordTypes, { weekly: many({ weekday: 0, start: '24:00', end: 7 }) }],
    ['ticket', contactCenterRecordTypes, { customFields: Object.fromEntries(many(0).entries()) }],
  ];

  it.each(cases)('%s lists ten of them', (type, types, data) => {
    const result = new RecordCheck(types).check({ type, data });
    expect(result).toEqual({ problems: expect.any(Array) });
    const { problems } = result as { problems: InvalidItem[] };
    expect(problems).toHaveLength(10);
    for (const { loc, msg, type } of problems) {
      expect([loc[0], msg, type]).toEqual(['data', expect.any(String), expect.stringMatching(/^\w+$/)]);
    }
  });
});
