import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { ChangeCursors } from './change-cursor';

const key = randomBytes(32);
const cursors = new ChangeCursors(key, 'sessions', 'one');
const number = fc.integer({ min: 0, max: 2 ** 48 - 1 });
const cursor = fc.record({
  epoch: fc.uint8Array({ minLength: 6, maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  position: number,
  beginning: number,
});

describe('a cursor', () => {
  it('reads back as it was written, and is a word of a URL', () => {
    fc.assert(
      fc.property(cursor, (written) => {
        const text = cursors.write(written);
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(cursors.read(text)).toEqual(written);
      }),
    );
  });

  it.each([
    ['another organization', new ChangeCursors(key, 'sessions', 'other')],
    ['another feed', new ChangeCursors(key, 'responses', 'one')],
    ['another database', new ChangeCursors(randomBytes(32), 'sessions', 'one')],
  ])('of %s is not accepted', (_, issuer) => {
    fc.assert(fc.property(cursor, (written) => cursors.read(issuer.write(written)) === undefined));
  });

  it('that was changed anywhere, or is none, is not accepted', () => {
    fc.assert(
      fc.property(cursor, fc.nat(25), fc.integer({ min: 1, max: 255 }), (written, place, change) => {
        const bytes = Buffer.from(cursors.write(written), 'base64url');
        bytes[place]! ^= change;
        expect(cursors.read(bytes.toString('base64url'))).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => cursors.read(text) === undefined));
    const text = cursors.write({ epoch: '000000000000', position: 1, beginning: 1 });
    for (const other of [`${text}=`, ` ${text}`, `${text}A`, text.slice(1)]) {
      expect(cursors.read(other)).toBeUndefined();
    }
  });
});
