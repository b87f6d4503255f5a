import fc from 'fast-check';
import { runs } from '@cxp/testing';
import { generateApiToken, hashApiToken, isWellFormedApiToken } from './api-tokens';

const BASE62 = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];
const token = fc.noShrink(fc.constant(null).map(generateApiToken));

describe('an API token', () => {
  it('has a recognisable prefix, 32 random characters and a checksum', () => {
    const made = Array.from({ length: 200 }, generateApiToken);
    for (const one of made) {
      expect(one).toMatch(/^cxp_[0-9A-Za-z]{38}$/);
      expect(isWellFormedApiToken(one)).toBe(true);
    }
    expect(new Set(made).size).toBe(made.length);
    expect(new Set(made.flatMap((one) => [...one.slice(4, 36)])).size).toBe(BASE62.length);
  });

  it('is refused when any single character is another', () => {
    const character = fc.oneof(
      fc.constantFrom(...BASE62),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(token, fc.nat(41), character, (sound, index, other) => {
        fc.pre(sound[index] !== other);
        expect(isWellFormedApiToken(sound.slice(0, index) + other + sound.slice(index + 1))).toBe(false);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is refused when two characters are swapped, one is left out, or one is added', () => {
    fc.assert(
      fc.property(token, fc.integer({ min: 0, max: 40 }), (sound, i) => {
        const [before, one, other, after] = [sound.slice(0, i), sound[i]!, sound[i + 1]!, sound.slice(i + 2)];
        if (one !== other) expect(isWellFormedApiToken(before + other + one + after)).toBe(false);
        expect(isWellFormedApiToken(before + other + after)).toBe(false);
        expect(isWellFormedApiToken(before + one + one + other + after)).toBe(false);
      }),
    );
  });

  it.each([
    '',
    'cxp_',
    'secret',
    `${generateApiToken()}\n`,
    ` ${generateApiToken()}`,
    generateApiToken().slice(4),
  ])('is not %j', (text) => {
    expect(isWellFormedApiToken(text)).toBe(false);
  });

  it('is hashed with SHA-256', () => {
    expect(hashApiToken('abc').toString('hex')).toBe(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });
});
