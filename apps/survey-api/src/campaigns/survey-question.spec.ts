import { compareIds } from './survey-question';

describe('compareIds', () => {
  it('orders ids numerically, and ids that are no integers last', () => {
    const ids = ['b', '10', '9', '2', 'a', '-1', '9007199254740993', '9007199254740992', '007'];
    expect([...ids].sort(compareIds)).toEqual([
      '-1',
      '2',
      '007',
      '9',
      '10',
      '9007199254740992',
      '9007199254740993',
      'a',
      'b',
    ]);
  });

  it('is the same for the same id only', () => {
    expect(compareIds('7', '7')).toBe(0);
    expect(compareIds('7', '07')).not.toBe(0);
  });
});
