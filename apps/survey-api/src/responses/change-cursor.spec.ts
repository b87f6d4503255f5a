import { changeCursor, readChangeCursor } from './change-cursor';

describe('a change cursor', () => {
  it.each([0, 1, 123456789012345])('leads back to change %d', (change) => {
    expect(readChangeCursor(changeCursor(change))).toBe(change);
    expect(changeCursor(change)).toMatch(/^[\w-]+$/);
  });

  it('is the beginning when it is empty', () => {
    expect(readChangeCursor('')).toBe(0);
  });

  it.each(['1', 'change:1', Buffer.from('change:-1').toString('base64url'), '💥'])('is not %s', (text) => {
    expect(readChangeCursor(text)).toBeUndefined();
  });
});
