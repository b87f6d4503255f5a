import fc from 'fast-check';
import { hasTooManyParts, isNestedTooDeeply, MAX_JSON_DEPTH, MAX_JSON_PARTS } from './json-depth';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function nested(depth: number, inner = '0'): string {
  return '[{"a":'.repeat(depth / 2) + inner + '}]'.repeat(depth / 2);
}

describe('JSON from a client', () => {
  it.each<[string, string]>([
    ['64 levels', nested(MAX_JSON_DEPTH)],
    ['200 arrays side by side', `[${'[],'.repeat(200)}0]`],
    ['brackets inside a string', nested(MAX_JSON_DEPTH, `"${'[{'.repeat(100)}"`)],
    ['brackets after an escaped quote', JSON.stringify(`"${'['.repeat(100)}`)],
    ['brackets after an escaped backslash', `["\\\\",${'[],'.repeat(100)}"${'['.repeat(100)}"]`],
    ['no JSON: a string without an end', `${'[],'.repeat(100)}"${'['.repeat(100)}`],
    ['no JSON: a backslash at the end', `${'[],'.repeat(100)}"\\`],
    ['nothing', ''],
  ])('is parsed when it has %s', (_, json) => {
    expect(isNestedTooDeeply(json)).toBe(false);
  });

  it.each<[string, string]>([
    ['66 levels', nested(MAX_JSON_DEPTH + 2)],
    ['65 levels after a string', `["\\"",${'['.repeat(MAX_JSON_DEPTH)}`],
    ['a million levels', '['.repeat(1_000_000)],
    ['a million levels that do not end in JSON', '{"a":'.repeat(1_000_000)],
  ])('is refused before it is parsed when it has %s', (_, json) => {
    expect(isNestedTooDeeply(json)).toBe(true);
  });

  it('is refused exactly when its value is nested deeper than 64 levels', () => {
    const levels = fc.array(fc.constantFrom('array', 'object', 'both'), {
      minLength: MAX_JSON_DEPTH - 4,
      maxLength: MAX_JSON_DEPTH + 4,
    });
    fc.assert(
      fc.property(fc.json(), levels, fc.string(), (innermost, levels, text) => {
        let value: unknown = JSON.parse(innermost);
        for (const level of levels) {
          if (level === 'array') value = [text, value];
          else if (level === 'object') value = { [text]: value, z: text };
          else value = [[], { a: [] }, value];
        }
        expect(isNestedTooDeeply(JSON.stringify(value))).toBe(depthOf(value) > MAX_JSON_DEPTH);
      }),
    );
  });
});

describe('JSON of many parts', () => {
  const most = '[],'.repeat(MAX_JSON_PARTS - 1);

  it.each<[string, string]>([
    ['as many arrays as it may hold', `[${most}0]`],
    ['as many members as it may hold', `{${'"":0,'.repeat(MAX_JSON_PARTS - 2)}"":0`],
    ['a million numbers', `[${'0,'.repeat(1_000_000)}0]`],
    ['their signs in strings', JSON.stringify('[{:"\\'.repeat(MAX_JSON_PARTS))],
  ])('is parsed when it has %s', (_, json) => {
    expect(hasTooManyParts(json)).toBe(false);
  });

  it.each<[string, string]>([
    ['one array more', `[${most}[]]`],
    ['a million objects', `[${'{},'.repeat(1_000_000)}0]`],
    ['a million members', `{${'"":0,'.repeat(1_000_000)}`],
    ['a million arrays after a string', `["\\"",${'[],'.repeat(1_000_000)}0]`],
  ])('is refused before it is parsed when it has %s', (_, json) => {
    expect(hasTooManyParts(json)).toBe(true);
  });
});
