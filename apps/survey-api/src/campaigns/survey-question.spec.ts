import { sortedTitles } from './survey-question';

describe('sortedTitles', () => {
  it('orders ids numerically, and ids that are no integers last, by code point', () => {
    const ids = [
      ...['b', '10', '9', '2', 'a', '-1', '9007199254740993', '9007199254740992', '007', '07', '7'],
      // As numbers they are equal.
      ...['10000000000000000000000', '9999999999999999999999', '1'.repeat(255), '2'.repeat(254)],
    ];
    const titles = Object.fromEntries(ids.map((id) => [id, `Title ${id}`]));
    expect(sortedTitles(titles).map(([id]) => id)).toEqual([
      ...['-1', '2', '007', '07', '7', '9', '10', '9007199254740992', '9007199254740993'],
      ...['9999999999999999999999', '10000000000000000000000'],
      ...['2'.repeat(254), '1'.repeat(255), 'a', 'b'],
    ]);
    expect(sortedTitles({ '7': 'Seven' })).toEqual([['7', 'Seven']]);
    expect(sortedTitles(null)).toEqual([]);
  });
});
