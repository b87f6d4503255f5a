import { inflateRawSync } from 'node:zlib';

/** Reads delimited text as a spreadsheet does: quotes, separators and line ends. Independent of what writes it. */
export function readDelimited(text: string, delimiter: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^${delimiter}\\r\\n"]*))(${delimiter}|\\r\\n)`, 'gy');
  for (const [, quoted, plain, end] of text.matchAll(cell)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain!);
    if (end === delimiter) continue;
    rows.push(row);
    row = [];
  }
  return rows;
}

/** The contract's file: UTF-16LE after its byte order mark, tab-separated. @throws when it is anything else */
export function readTsv(bytes: Buffer): string[][] {
  if (bytes[0] !== 0xff || bytes[1] !== 0xfe) throw new Error('no UTF-16LE byte order mark');
  return readDelimited(new TextDecoder('utf-16le', { fatal: true }).decode(bytes), '\t');
}

/** The cells of a workbook's first sheet: texts, numbers, and `null` for empty ones. */
export function readXlsx(bytes: Buffer): (string | number | null)[][] {
  const sheet = unzip(bytes).get('xl/worksheets/sheet1.xml')!;
  return [...sheet.matchAll(/<row>(.*?)<\/row>/gs)].map(([, row]) =>
    [
      ...row!.matchAll(/<c\/>|<c><v>(.*?)<\/v><\/c>|<c t="inlineStr"><is><t[^>]*>(.*?)<\/t><\/is><\/c>/gs),
    ].map(([, number, text]) =>
      number !== undefined ? Number(number) : text === undefined ? null : readXml(text),
    ),
  );
}

function readXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/_x([\dA-F]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

/** The files of a zip archive as text, found by its central directory. */
function unzip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  const files = new Map<string, string>();
  let entry = bytes.readUInt32LE(end + 16);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((at) => bytes.readUInt16LE(entry + at));
    const name = bytes.toString('utf8', entry + 46, entry + 46 + nameLength!);
    const header = bytes.readUInt32LE(entry + 42);
    const start = header + 30 + bytes.readUInt16LE(header + 26) + bytes.readUInt16LE(header + 28);
    const data = bytes.subarray(start, start + bytes.readUInt32LE(entry + 20));
    const deflated = bytes.readUInt16LE(entry + 10) === 8;
    files.set(name, (deflated ? inflateRawSync(data) : data).toString('utf8'));
    entry += 46 + nameLength! + extraLength! + commentLength!;
  }
  return files;
}
