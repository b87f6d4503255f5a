import { preferredMediaType } from './preferred-media-type';

const FILE = 'text/csv; charset=utf-16le';
const UTF8 = 'text/csv; charset=utf-8';
const JSON_TYPE = 'application/json';
const OFFERS = [FILE, UTF8, JSON_TYPE, 'application/x-ndjson'] as const;

describe('preferredMediaType', () => {
  it.each([
    [undefined, FILE],
    ['', FILE],
    ['*/*', FILE],
    ['text/csv', FILE],
    ['text/*', FILE],
    ['text/csv;charset=utf-16le', FILE],
    ['application/json', JSON_TYPE],
    ['Application/JSON', JSON_TYPE],
    ['application/json; q=0.9', JSON_TYPE],
    ['application/json, */*;q=0.5', JSON_TYPE],
    ['text/csv;q=0.1, application/json;q=0.2', JSON_TYPE],
    ['text/csv; charset=utf-8', UTF8],
    ['text/csv; charset="UTF-8"', UTF8],
    ['application/json; charset=utf-8', JSON_TYPE],
    ['application/json; charset=utf-16', FILE],
    ['text/csv; charset=utf-8, text/csv; q=0.5', UTF8],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['application/json, text/csv', FILE],
    ['application/json, text/plain, */*', FILE],
    ['image/png', FILE],
    ['text/csv;q=0', FILE],
    ['text/csv;q=0, */*', JSON_TYPE],
    ['text/csv;q=x, application/json;q=0.1', JSON_TYPE],
  ])('for Accept: %s it is %s', (accept, expected) => {
    expect(preferredMediaType({ headers: { accept } }, OFFERS)).toBe(expected);
  });

  it('looks at the first hundred ranges of a header', () => {
    const acceptAfter = (ranges: number) => `${'image/png,'.repeat(ranges)}${JSON_TYPE}`;
    expect(preferredMediaType({ headers: { accept: acceptAfter(99) } }, OFFERS)).toBe(JSON_TYPE);
    expect(preferredMediaType({ headers: { accept: acceptAfter(100) } }, OFFERS)).toBe(FILE);
  });
});
