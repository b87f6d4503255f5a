import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { timeText, type Rows } from './cell';
import { CONTENT_TYPES, PACKAGE_RELATIONSHIPS, STYLE, STYLES, workbookParts, XML } from './xlsx-parts';

/** Limits of a sheet. https://support.microsoft.com/office/1672b34d */
export const MAX_CELL_CHARACTERS = 32_767;
const MAX_COLUMNS = 16_384;

/** Deflate's fastest level: the file is a tenth larger than with the default, and written in half the time. */
const COMPRESSION_LEVEL = 1;

/** XML is handed over in pieces of about this many characters. */
const CHUNK_CHARACTERS = 32_768;

export interface XlsxFileOptions {
  readonly sheetName: string;
  /** An IANA name or an offset such as `+07:00`; workbooks have no time zones of their own. */
  readonly timeZone: string;
}

/** A text of which a cell shows only the beginning. */
interface CutText {
  readonly reference: string;
  readonly characters: number;
}

/** What a sheet could not hold. */
interface Omissions {
  readonly cutTexts: CutText[];
  omittedColumns: number;
}

/**
 * A workbook (ECMA-376, Office Open XML) that is written while it is read, in bounded memory. Texts are texts, whatever
 * they start with; times are real dates. A cell holds at most 32,767 characters: a longer text is cut, its cell ends with
 * a note that says so, and a second sheet "Cut texts" lists all such cells.
 *
 * The writer is our own because exceljs, the only well-kept library that streams, ignores backpressure: a client that
 * reads slowly would have the whole workbook in memory (exceljs#734, #2916).
 */
export function xlsxFile(rows: Rows, options: XlsxFileOptions): Readable {
  const zip = new ZipFile();
  const omissions: Omissions = { cutTexts: [], omittedColumns: 0 };
  const file = zip.outputStream as Readable;
  const sheet = Readable.from(sheetXml(rows, options.timeZone, omissions), { objectMode: false });
  addParts(zip, { '[Content_Types].xml': CONTENT_TYPES, '_rels/.rels': PACKAGE_RELATIONSHIPS });
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', { compressionLevel: COMPRESSION_LEVEL });
  sheet.once('end', () => {
    const notes = notesOf(omissions);
    const sheetNames = notes ? [options.sheetName, 'Cut texts'] : [options.sheetName];
    if (notes) {
      const notesSheet = Readable.from(sheetXml(notes, options.timeZone, omissions), { objectMode: false });
      zip.addReadStream(notesSheet, 'xl/worksheets/sheet2.xml');
      notesSheet.on('error', (error) => file.destroy(error));
    }
    addParts(zip, { ...workbookParts(sheetNames), 'xl/styles.xml': STYLES });
    zip.end();
  });
  sheet.on('error', (error) => file.destroy(error));
  file.on('close', () => sheet.destroy());
  return file;
}

function addParts(zip: ZipFile, parts: Readonly<Record<string, string>>): void {
  for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml), path);
}

async function* sheetXml(rows: Rows, timeZone: string, omissions: Omissions): AsyncGenerator<string> {
  const columns: string[] = [];
  let xml = SHEET_START;
  let number = 0;
  for await (const row of rows) {
    number += 1;
    omissions.omittedColumns = Math.max(omissions.omittedColumns, row.length - MAX_COLUMNS);
    const width = Math.min(row.length, MAX_COLUMNS);
    while (columns.length < width) columns.push(columnName(columns.length));
    xml += `<row r="${number}">`;
    for (let index = 0; index < width; index += 1) {
      const cell = row[index]!;
      if (cell !== null && cell !== '')
        xml += cellXml(cell, `${columns[index]}${number}`, timeZone, omissions);
    }
    xml += '</row>';
    if (xml.length >= CHUNK_CHARACTERS) {
      yield xml;
      xml = '';
    }
  }
  yield `${xml}</sheetData></worksheet>`;
}

function cellXml(
  cell: string | number | Date,
  reference: string,
  timeZone: string,
  omissions: Omissions,
): string {
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (cell instanceof Date) {
    const shown = timeText(cell, timeZone);
    const serial = serialDate(shown);
    if (serial !== undefined) return `<c r="${reference}" s="${STYLE.time}"><v>${serial}</v></c>`;
    cell = shown;
  }
  if (cell.length > MAX_CELL_CHARACTERS) {
    const characters = [...cell].length;
    omissions.cutTexts.push({ reference, characters });
    cell = cutText(cell, characters);
  }
  // As after an apostrophe that a person types: the text stays a text when its cell is edited.
  const style = FORMULA_START.test(cell) ? ` s="${STYLE.quotedText}"` : '';
  return `<c r="${reference}"${style} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
}

const FORMULA_START = /^[=+\-@]/;

function cutText(text: string, characters: number): string {
  const note = ` … [cut: the text has ${characters} characters]`;
  const kept = text.slice(0, MAX_CELL_CHARACTERS - note.length);
  return (kept.at(-1)!.isWellFormed() ? kept : kept.slice(0, -1)) + note;
}

const DAY_MS = 86_400_000;
const UNIX_EPOCH_SERIAL = 25_569;
/** Spreadsheets disagree about earlier days: Excel counts a 29th of February 1900. */
const FIRST_COMMON_SERIAL = 61;

/** @returns days since 1899-12-30; undefined for a day that spreadsheets do not share */
function serialDate(wallTime: string): number | undefined {
  const serial = Date.parse(`${wallTime.replace(' ', 'T')}Z`) / DAY_MS + UNIX_EPOCH_SERIAL;
  return serial >= FIRST_COMMON_SERIAL ? serial : undefined;
}

/** @param index from 0: A … Z, AA … */
function columnName(index: number): string {
  const rest = index >= 26 ? columnName(Math.floor(index / 26) - 1) : '';
  return rest + String.fromCharCode(65 + (index % 26));
}

/** @returns undefined if the sheet holds everything */
function notesOf({ cutTexts, omittedColumns }: Omissions): Rows | undefined {
  if (cutTexts.length === 0 && omittedColumns <= 0) return undefined;
  return (async function* () {
    yield ['Cell', 'Characters of the whole text'];
    for (const { reference, characters } of cutTexts) yield [reference, characters];
    if (omittedColumns > 0) {
      yield [`A sheet has at most ${MAX_COLUMNS} columns: the last ${omittedColumns} are left out`];
    }
  })();
}

// XML has no control characters: Office writes them as `_x0007_`, and escapes the `_` of a text that looks like that.
const SPECIAL = /[&<>\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}_)/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '\r': '&#13;',
};

function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(
      SPECIAL,
      (character) =>
        ENTITIES[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
    );
}

/** The heading stays in view; columns are wide enough for a time, which Excel shows as `###` otherwise. */
const SHEET_START =
  `${XML}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
  '<sheetViews><sheetView workbookViewId="0">' +
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
  '<sheetFormatPr defaultColWidth="20" defaultRowHeight="15"/><sheetData>';
