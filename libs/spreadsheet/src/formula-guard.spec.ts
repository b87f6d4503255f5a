import fc from 'fast-check';
import { guardFormula } from './cell';

describe('guardFormula', () => {
  it.each([
    '=1+1',
    '=HYPERLINK("http://example.com")',
    '+cmd|/c calc!A0',
    '-2+3',
    '-A1',
    '@SUM(A1)',
    '\t=1',
    '\t1',
    '\r=1',
    '=',
    '-',
    '--',
    '+',
    '+84 90 123 456 ext. 7',
    '-1e5x',
    '+84\t90',
    '-2-3',
    '+1-(2)*3',
    '-(2)',
    '+-5',
    '+.5.5',
    '-.',
    '-05',
    '-3,5',
    '-1,234.50',
    '+1.5E+10',
  ])('defuses %j', (cell) => {
    expect(guardFormula(cell)).toBe(`'${cell}`);
  });

  it.each([
    '',
    'Rất tốt',
    '1',
    '-5',
    '-3.5',
    '+7',
    '-0',
    '-1e-7',
    '-1.5E+10',
    '-.5',
    '+.5',
    '+1-(2)',
    '+84 90 123 45 67',
    '+84-90-1234567',
    '+84.90.123',
    '+(84) 90 123',
    '(84) 90 123',
    ' =1',
    'a=b',
    "'=1",
    '\n=1',
  ])('leaves %j as it is', (cell) => {
    expect(guardFormula(cell)).toBe(cell);
  });

  it('adds one apostrophe or nothing, and never guards twice', () => {
    const cell = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '1', '.', '(', ' ', 'a'),
    });
    fc.assert(
      fc.property(cell, (text) => {
        const guarded = guardFormula(text);
        expect([text, `'${text}`]).toContain(guarded);
        expect(guardFormula(guarded)).toBe(guarded);
      }),
    );
  });
});
