import { schemaOfExamples } from './example-schema';

describe('schemaOfExamples', () => {
  it.each([
    ['a text', ['Not found'], { type: 'string' }],
    ['an integer', [404], { type: 'integer' }],
    ['numbers and a text', [1.5, 'x'], { oneOf: [{ type: 'number' }, { type: 'string' }] }],
    ['an empty list', [[]], { type: 'array', items: {} }],
    ['lists', [['a'], [1]], { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] } }],
    [
      'objects that differ',
      [{ message: 'no' }, { message: ['no'], error: 'Bad Request' }],
      {
        type: 'object',
        required: ['message'],
        properties: {
          message: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
          error: { type: 'string' },
        },
      },
    ],
  ])('describes %s', (_, values, schema) => {
    expect(schemaOfExamples(values)).toEqual(schema);
  });
});
