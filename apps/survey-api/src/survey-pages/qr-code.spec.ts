import { inflateSync } from 'node:zlib';
import { encode } from 'uqr';
import { pictureSize, qrPng, qrSvg } from './qr-code';

const LINK = 'https://s.example.com/s/AAAAAAAAAAAAAAAAAAAAAA';
const CODE = encode(LINK, { ecc: 'M', border: 4 });

/** The sides of a PNG file, and whether a pixel is dark. */
function readPng(bytes: Buffer): { sides: number[]; isDark: (x: number, y: number) => boolean } {
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const pixels = inflateSync(bytes.subarray(41, 41 + bytes.readUInt32BE(33)));
  const lineBytes = 1 + Math.ceil(sides[0]! / 8);
  return { sides, isDark: (x, y) => !(pixels[y * lineBytes + 1 + (x >> 3)]! & (0x80 >> (x & 7))) };
}

describe('the QR code of a link', () => {
  it.each([
    [undefined, 256],
    ['512', 512],
    ['63', 64],
    ['0', 64],
    ['999999999', 2_048],
    ['9999999999', 256],
    ['-1', 256],
    ['1e3', 256],
    ['', 256],
    [['64', '128'], 256],
  ])('has for the size %j a side of %d pixels', (asked, size) => {
    expect(pictureSize(asked)).toBe(size);
    expect(readPng(qrPng(LINK, pictureSize(asked))).sides).toEqual([size, size]);
    expect(qrSvg(LINK, size)).toContain(`width="${size}" height="${size}"`);
  });

  it.each([64, 100, 256, 1_000])('is the same code in both formats, at %d pixels', (size) => {
    const { isDark } = readPng(qrPng(LINK, size));
    const scale = Math.floor(size / CODE.size);
    const start = Math.floor((size - CODE.size * scale) / 2);
    const dark = new Set(
      [...qrSvg(LINK, size).matchAll(/M(\d+) (\d+)h1v1h-1z/g)].map(([, x, y]) => `${x} ${y}`),
    );
    for (const [y, row] of CODE.data.entries()) {
      for (const [x, expected] of row.entries()) {
        expect(dark.has(`${x} ${y}`)).toBe(expected);
        const [left, top] = [start + x * scale, start + y * scale];
        expect([isDark(left, top), isDark(left + scale - 1, top + scale - 1)]).toEqual([expected, expected]);
      }
    }
    expect([isDark(0, 0), isDark(size - 1, size - 1)]).toEqual([false, false]);
  });
});
