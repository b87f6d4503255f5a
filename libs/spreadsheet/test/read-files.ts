import { read, utils } from '@e965/xlsx';
import { Workbook, type CellValue } from 'exceljs';
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

/** The sheets of a workbook as exceljs reads them. Times are wall times, as if they were UTC. */
export async function readXlsx(bytes: Buffer): Promise<ReadSheet[]> {
  const workbook = new Workbook();
  // Its type is that of another version of @types/node.
  await workbook.xlsx.load(bytes as unknown as ArrayBuffer);
  return workbook.worksheets.map((sheet) => ({
    name: sheet.name,
    rows: Array.from({ length: sheet.rowCount }, (_, row) =>
      Array.from({ length: sheet.columnCount }, (_, column) =>
        cellOf(sheet.getCell(row + 1, column + 1).value),
      ),
    ),
  }));
}

function cellOf(value: CellValue): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number' || value instanceof Date) return value;
  throw new Error(`no text, number or time: ${JSON.stringify(value)}`);
}

/** The same as SheetJS reads them. @throws if a cell is a formula */
export function readXlsxBySheetJs(bytes: Buffer): ReadSheet[] {
  const workbook = read(bytes, { cellDates: true, UTC: true, dense: false });
  return workbook.SheetNames.map((name) => {
    const sheet = workbook.Sheets[name]!;
    if (Object.values(sheet).some((cell) => typeof cell === 'object' && cell !== null && 'f' in cell)) {
      throw new Error('a cell is a formula');
    }
    return { name, rows: utils.sheet_to_json<Cell[]>(sheet, { header: 1, defval: null, UTC: true }) };
  });
}
