import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { timeText, type Cell, type Rows } from './cell';
import {
  CONTENT_TYPES,
  PACKAGE_RELATIONSHIPS,
  type Sheet,
  STYLE,
  STYLES,
  workbookParts,
  XML,
} from './xlsx-parts';

/** Limits of a sheet. https://support.microsoft.com/office/1672b34d */
export const MAX_CELL_CHARACTERS = 32_767;
const MAX_COLUMNS = 16_384;
const MAX_ROWS = 1_048_576;

/** A cell shows 15 digits of a number: a longer one is text. */
const MAX_INTEGER = 999_999_999_999_999;

/** More cut texts are counted, and not listed: the list is kept until the end of the workbook. */
const MAX_LISTED_CUTS = 10_000;

/** Deflate's fastest level: the file is a tenth larger than with the default, and written in half the time. */
const COMPRESSION_LEVEL = 1;

/** XML is handed over in pieces of about this many characters. */
const CHUNK_CHARACTERS = 32_768;

export interface XlsxFileOptions {
  /** A second sheet is called `<name> 2`. */
  readonly sheetName: string;
  /** An IANA name or an offset such as `+07:00`; workbooks have no time zones of their own. */
  readonly timeZone: string;
  /** Rows of a sheet, its heading included; default: as many as a sheet can hold. */
  readonly rowsPerSheet?: number;
}

/** A text of which a cell shows only the beginning. */
interface CutText {
  readonly reference: string;
  readonly characters: number;
}

/** What the sheets could not hold. */
interface Omissions {
  readonly cutTexts: CutText[];
  unlistedCuts: number;
  omittedColumns: number;
}

/**
 * A workbook (ECMA-376, Office Open XML) that is written while it is read, in bounded memory. Texts are texts, whatever
 * they start with; times are real dates. The heading is bold, stays in view and filters the rows. Rows that a sheet has no room for go on in
 * another one, below the same heading. A cell holds at most 32,767 characters: a longer text is cut, its cell ends with
 * a note that says so, and a last sheet "Cut texts" lists such cells.
 *
 * The writer is our own because exceljs, the only well-kept library that streams, ignores backpressure: a client that
 * reads slowly would have the whole workbook in memory (exceljs#734, #2916).
 */
export function xlsxFile(
  rows: Rows,
  { sheetName, timeZone, rowsPerSheet = MAX_ROWS }: XlsxFileOptions,
): Readable {
  const zip = new ZipFile();
  const omissions: Omissions = { cutTexts: [], unlistedCuts: 0, omittedColumns: 0 };
  const file = zip.outputStream as Readable;
  const source = new SheetRows(rows, rowsPerSheet);
  const sheets: Sheet[] = [];
  let current: Readable | undefined;
  const add = (sheet: Sheet, rowsOfSheet: Rows, next: () => void) => {
    sheets.push(sheet);
    const prefix = sheets.length === 1 ? '' : `'${sheet.name}'!`;
    current = Readable.from(sheetXml(rowsOfSheet, sheet, prefix, timeZone, omissions), { objectMode: false });
    const path = `xl/worksheets/sheet${sheets.length}.xml`;
    zip.addReadStream(current, path, { compressionLevel: COMPRESSION_LEVEL });
    current.once('end', next).on('error', (error) => file.destroy(error));
  };
  const end = () => {
    addParts(zip, { ...workbookParts(sheets), 'xl/styles.xml': STYLES });
    zip.end();
  };
  const addNext = () => {
    const name = sheets.length === 0 ? sheetName : `${sheetName} ${sheets.length + 1}`;
    add({ name }, source.ofSheet(), () => {
      if (source.hasMore) addNext();
      else if (hasOmissions(omissions)) add({ name: 'Cut texts' }, notesOf(omissions), end);
      else end();
    });
  };
  addParts(zip, { '[Content_Types].xml': CONTENT_TYPES, '_rels/.rels': PACKAGE_RELATIONSHIPS });
  addNext();
  file.on('close', () => {
    current?.destroy();
    source.end();
  });
  return file;
}

/** Rows that are divided among sheets. */
class SheetRows {
  private readonly rows: AsyncIterator<readonly Cell[]>;
  private heading: readonly Cell[] | undefined;
  /** The first row of the next sheet. */
  private next: readonly Cell[] | undefined;

  constructor(
    rows: Rows,
    private readonly rowsPerSheet: number,
  ) {
    this.rows = rows[Symbol.asyncIterator]();
  }

  get hasMore(): boolean {
    return this.next !== undefined;
  }

  /** The heading, and as many rows as a sheet holds. */
  async *ofSheet(): AsyncGenerator<readonly Cell[]> {
    let room = this.rowsPerSheet;
    for (const row of [this.heading, this.next]) {
      if (!row) continue;
      room -= 1;
      yield row;
    }
    this.next = undefined;
    for (;;) {
      const read = await this.rows.next();
      if (read.done) return;
      this.heading ??= read.value;
      if (room === 0) {
        this.next = read.value;
        return;
      }
      room -= 1;
      yield read.value;
    }
  }

  end(): void {
    this.rows.return?.().catch(() => undefined);
  }
}

function addParts(zip: ZipFile, parts: Readonly<Record<string, string>>): void {
  for (const [path, xml] of Object.entries(parts)) zip.addBuffer(Buffer.from(xml), path);
}

/** @param prefix of the references to cells: what names a sheet that is not the first */
async function* sheetXml(
  rows: Rows,
  sheet: Sheet,
  prefix: string,
  timeZone: string,
  omissions: Omissions,
): AsyncGenerator<string> {
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
      if (cell === null || cell === '') continue;
      const place = { column: columns[index]!, row: number, prefix };
      xml += cellXml(cell, place, timeZone, omissions);
    }
    xml += '</row>';
    if (xml.length >= CHUNK_CHARACTERS) {
      yield xml;
      xml = '';
    }
  }
  const last = columns.at(-1);
  if (last) sheet.filter = { column: last, row: number };
  yield `${xml}</sheetData>${last ? `<autoFilter ref="A1:${last}${number}"/>` : ''}</worksheet>`;
}

/** Where a cell stands. */
interface Place {
  readonly column: string;
  readonly row: number;
  readonly prefix: string;
}

function cellXml(
  cell: string | number | Date,
  { column, row, prefix }: Place,
  timeZone: string,
  omissions: Omissions,
): string {
  const reference = column + row;
  if (typeof cell === 'number') {
    const isShown = !Number.isInteger(cell) || Math.abs(cell) <= MAX_INTEGER;
    if (isShown) return `<c r="${reference}"><v>${cell}</v></c>`;
    cell = String(cell);
  }
  if (cell instanceof Date) {
    const shown = timeText(cell, timeZone);
    const serial = serialDate(shown);
    if (serial !== undefined) return `<c r="${reference}" s="${STYLE.time}"><v>${serial}</v></c>`;
    cell = shown;
  }
  if (cell.length > MAX_CELL_CHARACTERS) {
    const characters = [...cell].length;
    if (omissions.cutTexts.length === MAX_LISTED_CUTS) omissions.unlistedCuts += 1;
    else omissions.cutTexts.push({ reference: prefix + reference, characters });
    cell = cutText(cell, characters);
  }
  // As after an apostrophe that a person types: the text stays a text when its cell is edited.
  const isQuoted = FORMULA_START.test(cell);
  const [plain, quoted] = row === 1 ? [STYLE.heading, STYLE.quotedHeading] : [STYLE.plain, STYLE.quotedText];
  const style = isQuoted || plain !== STYLE.plain ? ` s="${isQuoted ? quoted : plain}"` : '';
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

function hasOmissions({ cutTexts, omittedColumns }: Omissions): boolean {
  return cutTexts.length > 0 || omittedColumns > 0;
}

async function* notesOf({ cutTexts, unlistedCuts, omittedColumns }: Omissions): AsyncGenerator<Cell[]> {
  yield ['Cell', 'Characters of the whole text'];
  for (const { reference, characters } of cutTexts) yield [reference, characters];
  if (unlistedCuts > 0) yield [`Of ${unlistedCuts} more cells only the beginning is shown`];
  if (omittedColumns > 0) {
    yield [`A sheet has at most ${MAX_COLUMNS} columns: the last ${omittedColumns} are left out`];
  }
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
