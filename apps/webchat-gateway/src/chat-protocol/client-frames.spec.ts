import { parseClientFrame } from './client-frames';

const message = (change: object) => ({ type: 'message.send', clientId: 'c', text: 'x', ...change });
const rating = (change: object) => ({
  type: 'rating.submit',
  clientId: 'c',
  rating: 4,
  resolution: 1,
  feedback: 'Tốt 👍',
  ...change,
});

/** So many values, besides the three of a message. */
const elements = (count: number) => ({ list: Array(count - 4).fill(0) });
const members = (count: number) =>
  Object.fromEntries(Array.from({ length: count - 3 }, (_, i) => [`x${i}`, 0]));

it.each<[string, object]>([
  ['a text of 4000 characters', message({ text: '😀'.repeat(4_000) })],
  ['200 elements', message(elements(200))],
  ['200 members', message(members(200))],
  ['a rating only', rating({ rating: 1, resolution: null, feedback: null })],
  ['a resolution only', rating({ rating: null, resolution: 0, feedback: null })],
  [
    'feedback of 2000 characters only',
    rating({ rating: null, resolution: null, feedback: '😀'.repeat(2_000) }),
  ],
  ['a rating, and nothing else', rating({ rating: 5, resolution: undefined, feedback: undefined })],
])('a frame may have %s', (_, frame) => {
  const text = JSON.stringify(frame);
  expect(parseClientFrame(text)).toEqual(JSON.parse(text));
});

it.each<[string, object | string, clientId: string | null]>([
  ['no JSON', '{', null],
  ['no object', '7', null],
  ['null', 'null', null],
  ['no type', {}, null],
  ['an unknown type', { type: 'message.delete', clientId: 'c' }, 'c'],
  ['a type of the server', { type: 'message.accepted' }, null],
  ['1,800 levels', `{"type":"typing","active":true,"x":${'['.repeat(1_800)}${']'.repeat(1_800)}}`, null],
  ['201 elements', message(elements(201)), null],
  ['201 members', message(members(201)), null],
  ['no client id', message({ clientId: undefined }), null],
  ['a number for a client id', message({ clientId: 5 }), null],
  ['an empty client id', message({ clientId: '' }), null],
  ['a client id of 65 characters', message({ clientId: 'x'.repeat(65) }), null],
  ['no text', message({ text: undefined }), 'c'],
  ['a blank text', message({ text: ' \n' }), 'c'],
  ['a text that nobody can see', message({ text: '\u200b\u0085\u3164' }), 'c'],
  ['a text of 4001 characters', message({ text: '😀'.repeat(4_001) }), 'c'],
  ['a text with NUL', message({ text: 'a\0' }), 'c'],
  ['half a character', message({ text: '\ud83d' }), 'c'],
  ['a number for a text', message({ text: 5 }), 'c'],
  ['a read mark that is none', { type: 'read', clientId: 'c', upTo: -1 }, 'c'],
  ['values that are all null', rating({ rating: null, resolution: null, feedback: null }), 'c'],
  ['feedback that nobody can see only', rating({ rating: null, resolution: null, feedback: ' \u200b' }), 'c'],
  ['no value', rating({ rating: undefined, resolution: undefined, feedback: undefined }), 'c'],
  ['a rating of 0', rating({ rating: 0 }), 'c'],
  ['a rating of 6', rating({ rating: 6 }), 'c'],
  ['a rating of 4.5', rating({ rating: 4.5 }), 'c'],
  ['a text for a rating', rating({ rating: '4' }), 'c'],
  ['a resolution of 2', rating({ resolution: 2 }), 'c'],
  ['a resolution of true', rating({ resolution: true }), 'c'],
  ['feedback of 2001 characters', rating({ feedback: '😀'.repeat(2_001) }), 'c'],
  ['feedback with NUL', rating({ feedback: 'a\0' }), 'c'],
  ['a rating without a client id', rating({ clientId: undefined }), null],
])('a frame is invalid with %s, and keeps a valid client id', (_, frame, clientId) => {
  const text = typeof frame === 'string' ? frame : JSON.stringify(frame);
  expect(parseClientFrame(text)).toEqual({ invalid: expect.any(String), clientId });
});

it('of too many values the limit is named', () => {
  expect(parseClientFrame(JSON.stringify(message(elements(201))))).toMatchObject({
    invalid: 'frame must not hold more than 200 members and elements in all',
  });
});
