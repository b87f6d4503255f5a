import fc from 'fast-check';
import { SurveySettings } from '../settings';
import { ResponseSeal } from './response-seal';

const KEY = { id: 'k1', secret: 'a'.repeat(32) };
const NEXT_KEY = { id: 'k2', secret: 'b'.repeat(32) };
const LINK = 'pT3bV9sXq0mJ2cK8wLr5Zg';

function sealWith(...SURVEY_PAGE_KEYS: SurveySettings['SURVEY_PAGE_KEYS'] & object): ResponseSeal {
  return new ResponseSeal(Object.assign(new SurveySettings(), { SURVEY_PAGE_KEYS }));
}

describe('ResponseSeal', () => {
  const seal = sealWith(KEY);

  it('opens what it has sealed for a link', () => {
    const before = Date.now();
    const sealed = seal.create(LINK);
    const opened = seal.open(LINK, sealed)!;
    expect(opened.identifier).toBe(sealed.split('.')[0]);
    expect(Number(opened.openedAt)).toBeGreaterThanOrEqual(before);
    expect(Number(opened.openedAt)).toBeLessThanOrEqual(Date.now());
  });

  it('never makes an id twice', () => {
    expect(new Set(Array.from({ length: 1_000 }, () => seal.create(LINK))).size).toBe(1_000);
  });

  it('opens nothing that was sealed for another link, by an unknown key or by another secret of its id', () => {
    expect(seal.open('Jx7nQ2eWm4uYb1Rk9HfTsA', seal.create(LINK))).toBeUndefined();
    expect(seal.open(LINK, sealWith(NEXT_KEY).create(LINK))).toBeUndefined();
    expect(seal.open(LINK, sealWith({ ...NEXT_KEY, id: 'k1' }).create(LINK))).toBeUndefined();
  });

  it('opens what any of its keys has sealed, and seals with the first', () => {
    const rotated = sealWith(NEXT_KEY, KEY);
    expect(rotated.open(LINK, seal.create(LINK))).toBeDefined();
    expect(sealWith(NEXT_KEY).open(LINK, rotated.create(LINK))).toBeDefined();
  });

  it('opens nothing in which one character is another', () => {
    const sealed = seal.create(LINK);
    fc.assert(
      fc.property(
        fc.nat({ max: sealed.length - 1 }),
        fc.string({ minLength: 0, maxLength: 2 }),
        (at, other) => {
          const altered = sealed.slice(0, at) + other + sealed.slice(at + 1);
          fc.pre(altered !== sealed);
          expect(seal.open(LINK, altered)).toBeUndefined();
        },
      ),
    );
  });

  it.each([undefined, null, 5, {}, [], '', 'x', ['x'], 'x'.repeat(100_000)])('opens no %p', (value) => {
    expect(seal.open(LINK, value)).toBeUndefined();
  });
});
