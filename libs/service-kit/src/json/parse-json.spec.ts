import fc from 'fast-check';
import { MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from './parse-json';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((count, item) => count + 1 + valuesIn(item), 0);
}

function nested(depth: number, inner = '0'): string {
  return '[{"a":'.repeat(depth / 2) + inner + '}]'.repeat(depth / 2);
}

function problemType(json: string | Uint8Array, maxValues?: number): string | undefined {
  const parsed = parseJson(json, 'body', maxValues);
  return 'problem' in parsed ? parsed.problem.type : undefined;
}

const most = MAX_JSON_VALUES;

describe('JSON of a client', () => {
  it.each<[string, string]>([
    ['64 levels', nested(MAX_JSON_DEPTH)],
    ['brackets inside a string', nested(MAX_JSON_DEPTH, `"${'[{'.repeat(100)}"`)],
    ['brackets after an escaped quote', JSON.stringify(`"${'['.repeat(100)}`)],
    ['brackets after an escaped backslash', `["\\\\",${'[],'.repeat(100)}"${'['.repeat(100)}"]`],
    ['as many numbers as it may hold', `[${'0,'.repeat(most - 1)}0]`],
    ['signs of structure in strings', JSON.stringify('[{:,"\\'.repeat(most))],
  ])('is parsed when it has %s', (_, json) => {
    expect(parseJson(json, 'body')).toMatchObject({ value: JSON.parse(json) as unknown });
    expect(parseJson(Buffer.from(json), 'body')).toMatchObject({ value: JSON.parse(json) as unknown });
  });

  it.each<[string, string | Uint8Array, string]>([
    ['65 levels after a string', `["\\"",${'['.repeat(MAX_JSON_DEPTH)}`, 'recursion_loop'],
    ['a million levels', '['.repeat(1_000_000), 'recursion_loop'],
    ['a million levels that do not end in JSON', '{"a":'.repeat(1_000_000), 'recursion_loop'],
    ['one number more', `[${'0,'.repeat(most)}0]`, 'too_large'],
    ['a million arrays after a string', `["\\"",${'[],'.repeat(1_000_000)}0]`, 'too_large'],
    ['a string without an end', `${'[],'.repeat(100)}"${'['.repeat(100)}`, 'json_invalid'],
    ['a backslash at the end', `${'[],'.repeat(100)}"\\`, 'json_invalid'],
    ['nothing', '', 'json_invalid'],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'json_invalid'],
  ])('is refused when it has %s', (_, json, type) => {
    expect(problemType(json)).toBe(type);
  });

  it('names the limit that it passes', () => {
    expect(parseJson('[1,2,3]', 'frame', 2)).toEqual({
      problem: { msg: 'frame must not hold more than 2 members and elements in all', type: 'too_large' },
    });
    expect(parseJson('['.repeat(65), 'frame')).toEqual({
      problem: { msg: 'frame must not be nested deeper than 64 levels', type: 'recursion_loop' },
    });
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
        const isTooDeep = problemType(JSON.stringify(value)) === 'recursion_loop';
        expect(isTooDeep).toBe(depthOf(value) > MAX_JSON_DEPTH);
      }),
    );
  });

  it('is refused exactly when it holds more values than it may', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(0, 1, 2), (json, indent) => {
        const value = JSON.parse(json) as unknown;
        const text = JSON.stringify(value, null, indent);
        const count = valuesIn(value);
        expect(parseJson(text, 'body', count)).toEqual({ value, values: count });
        if (count > 0) expect(problemType(text, count - 1)).toBe('too_large');
      }),
    );
  });
});
