import { read, utils } from '@e965/xlsx';
import type { Cell } from '../src';

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

export interface ReadSheet {
  readonly name: string;
  readonly rows: Cell[][];
}

/**
 * The sheets of a workbook as SheetJS reads them: a line break of Windows as a line feed. Times are wall times to the second, as if they
 * were UTC. @throws if a cell is a formula
 */
export function readXlsx(bytes: Buffer): ReadSheet[] {
  const workbook = read(bytes, { cellDates: true, UTC: true, dense: false });
  return workbook.SheetNames.map((name) => {
    const sheet = workbook.Sheets[name]!;
    if (Object.values(sheet).some((cell) => typeof cell === 'object' && cell !== null && 'f' in cell)) {
      throw new Error('a cell is a formula');
    }
    const rows = utils.sheet_to_json<Cell[]>(sheet, { header: 1, defval: null, UTC: true });
    return { name, rows: rows.map((row) => row.map(toTheSecond)) };
  });
}

/** A cell holds a fraction of a day. */
function toTheSecond(cell: Cell): Cell {
  return cell instanceof Date ? new Date(Math.round(cell.getTime() / 1_000) * 1_000) : cell;
}
