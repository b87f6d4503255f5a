import { isUtf8 } from 'node:buffer';

export interface Logo {
  readonly type: 'image/png' | 'image/svg+xml';
  readonly bytes: Buffer;
}

const MAX_LOGO_BYTES = 20_000;

/** A small file can hold a picture that takes gigabytes when it is shown. */
const MAX_PNG_SIDE = 2_048;

const DATA_URI = /^data:(image\/png|image\/svg\+xml);base64,([A-Za-z0-9+/]+={0,2})$/;

/** @returns a picture that can be served as it is, or what is wrong with it */
export function readLogo(source: string): Logo | string {
  const [, type, encoded] = DATA_URI.exec(source) ?? [];
  if (encoded === undefined) return 'Input should be a data URI of image/png or image/svg+xml in base64';
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length > MAX_LOGO_BYTES) return `Input should have at most ${MAX_LOGO_BYTES} bytes`;
  if (type === 'image/png') {
    return isPng(bytes)
      ? { type, bytes }
      : `Input should be a PNG file of at most ${MAX_PNG_SIDE} pixels a side`;
  }
  // It is only ever shown as a picture, and served with a policy under which it runs and loads nothing.
  return isUtf8(bytes) && /<svg[\s>]/.test(bytes.toString())
    ? { type: 'image/svg+xml', bytes }
    : 'Input should be an SVG file in UTF-8';
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const HEADER_END = 33;

/** Whether chunks follow each other from the header to the end, and nothing comes after it. */
function isPng(bytes: Buffer): boolean {
  if (bytes.length < HEADER_END || !bytes.subarray(0, 8).equals(SIGNATURE)) return false;
  if (bytes.toString('latin1', 12, 16) !== 'IHDR') return false;
  const sides = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (sides.some((side) => side === 0 || side > MAX_PNG_SIDE)) return false;
  let at = 8;
  while (at + 12 <= bytes.length) {
    const isEnd = bytes.toString('latin1', at + 4, at + 8) === 'IEND';
    at += 12 + bytes.readUInt32BE(at);
    if (isEnd) return at === bytes.length;
  }
  return false;
}
