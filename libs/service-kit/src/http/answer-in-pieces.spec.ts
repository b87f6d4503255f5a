import { inPieces } from './answer-in-pieces';

it('inPieces has all items, some at a time', () => {
  expect([...inPieces([1, 2, 3, 4, 5], 2)]).toEqual([[1, 2], [3, 4], [5]]);
});
