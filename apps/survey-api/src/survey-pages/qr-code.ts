import { crc32, deflateSync } from 'node:zlib';
import { encode } from 'uqr';

const [MIN_SIZE, DEFAULT_SIZE, MAX_SIZE] = [64, 256, 2_048];

/** Modules of light around the code, as ISO/IEC 18004 asks for. */
const BORDER = 4;

/** A side of a picture in pixels: a size out of bounds becomes the nearest one, and what is no size is the default. */
export function pictureSize(asked: unknown): number {
  if (typeof asked !== 'string' || !/^\d{1,9}$/.test(asked)) return DEFAULT_SIZE;
  return Math.min(Math.max(Number(asked), MIN_SIZE), MAX_SIZE);
}

export function qrSvg(text: string, size: number): string {
  const { data, size: modules } = modulesOf(text);
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${modules} ${modules}" ` +
    `shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${modules}v${modules}H0z"/><path d="${dark.join('')}"/></svg>`
  );
}

/** One bit for each pixel. Each module has the same number of pixels; what is left over is added to the border. */
export function qrPng(text: string, size: number): Buffer {
  const { data, size: modules } = modulesOf(text);
  const scale = Math.max(Math.floor(size / modules), 1);
  const side = Math.max(size, modules);
  const start = Math.floor((side - modules * scale) / 2);
  const lineBytes = 1 + Math.ceil(side / 8);
  const light = Buffer.alloc(lineBytes, 0xff);
  light[0] = 0; // No filter.
  const lines = Array.from({ length: side }, () => light);
  for (const [y, row] of data.entries()) {
    const line = Buffer.from(light);
    for (let x = 0; x < modules * scale; x++) {
      const pixel = start + x;
      if (row[Math.floor(x / scale)]) line[1 + (pixel >> 3)]! &= ~(0x80 >> (pixel & 7));
    }
    lines.fill(line, start + y * scale, start + (y + 1) * scale);
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1; // Bits of a pixel, which is grey.
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(lines))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function modulesOf(text: string): { data: boolean[][]; size: number } {
  return encode(text, { ecc: 'M', border: BORDER });
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(typed.length + 8);
  framed.writeUInt32BE(data.length, 0);
  typed.copy(framed, 4);
  framed.writeUInt32BE(crc32(typed), typed.length + 4);
  return framed;
}
