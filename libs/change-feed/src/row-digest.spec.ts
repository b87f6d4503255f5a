import fc from 'fast-check';
import { canonicalJson, canonicalWriter, hexDigest, rowDigest } from './row-digest';

describe('canonical JSON', () => {
  // https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2 and 3.2.3
  it('is that of the examples of RFC 8785', () => {
    expect(
      canonicalJson({
        numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
        string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/',
        literals: [null, true, false],
      }),
    ).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const written = canonicalJson(Object.fromEntries(names.map((name, place) => [name, place])));
    expect([...written.matchAll(/"((?:[^"\\]|\\.)*)":/g)].map(([, name]) => JSON.parse(`"${name}"`))).toEqual(
      sorted,
    );
  });

  it('has texts as JSON writes them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(canonicalJson(text)).toBe(JSON.stringify(text));
      }),
    );
    const texts = [
      '\u007f\u0080\u2028\ud7ff\ue000\uffff',
      'Nhân viên',
      '😀',
      '\ud83d',
      '\ude00',
      'à"',
      'à\\',
      'à\n',
    ];
    for (const text of texts) expect(canonicalJson(text)).toBe(JSON.stringify(text));
  });

  it('is the same for equal values, whatever the order of their names, and reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const reversed = JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
          typeof inner === 'object' && inner !== null && !Array.isArray(inner)
            ? Object.fromEntries(Object.entries(inner).reverse())
            : inner,
        ) as unknown;
        expect(canonicalJson(reversed)).toBe(canonicalJson(JSON.parse(JSON.stringify(value))));
        expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

describe('a writer of canonical JSON', () => {
  it('writes what canonical JSON is, whatever the members hold', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ noUnicodeString: false }), { noNullPrototype: true }),
        (value) => {
          expect(canonicalWriter<Record<string, unknown>>(Object.keys(value))(value)).toBe(
            canonicalJson(value),
          );
        },
      ),
    );
    const value = { a: 'A \x7f', 'ö"': 'quoted " \\', '9': '', '10': '\u2028\n😀' };
    expect(canonicalWriter<Record<string, unknown>>(Object.keys(value))(value)).toBe(canonicalJson(value));
  });
});

describe('the digest of a row', () => {
  it('is the first 8 bytes of SHA-256 over canonical JSON, in hexadecimal', () => {
    // printf '{"a":1}' | sha256sum
    expect(hexDigest(rowDigest({ a: 1 }))).toBe('015abd7f5cc57a2d');
    expect(hexDigest(-1n)).toBe('ffffffffffffffff');
    expect(hexDigest(0n)).toBe('0000000000000000');
  });
});
