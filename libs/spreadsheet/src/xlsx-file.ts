import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { type Cell, FORMULA_START, type Rows, timeText } from './cell';

/** Limits of a sheet. https://support.microsoft.com/office/1672b34d */
export const MAX_CELL_CHARACTERS = 32_767;
export const MAX_SHEET_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

/** A cell shows 15 digits; longer numbers become text. */
const MAX_INTEGER = 999_999_999_999_999;

/** The fastest level: the file is a tenth larger than by default, and written in half the time. */
const COMPRESSION_LEVEL = 1;

/** Approximate characters of a piece of XML. */
const CHUNK_CHARACTERS = 32_768;

export interface XlsxFileOptions {
  readonly sheetName: string;
  /** An offset such as `+07:00`; workbooks have no time zones of their own. */
  readonly timeZone: string;
}

/**
 * Streams a workbook of one sheet (ECMA-376, Office Open XML) in bounded memory. Texts stay texts; times are dates. The heading
 * is bold, frozen and filters the rows. A text of more than 32,767 characters is cut with a note. Too many rows or columns fail
 * the file. exceljs ignores backpressure: a slow client would have the whole workbook in memory (exceljs#734, #2916).
 */
export function xlsxFile(rows: Rows, { sheetName, timeZone }: XlsxFileOptions): Readable {
  const zip = new ZipFile();
  const file = zip.outputStream as Readable;
  let filter = '';
  const sheet = Readable.from(
    sheetXml(rows, timeZone, (range) => (filter = range)),
    { objectMode: false },
  );
  const add = (path: string, xml: string) => zip.addBuffer(Buffer.from(xml), path);
  add('[Content_Types].xml', CONTENT_TYPES);
  add('_rels/.rels', PACKAGE_RELATIONSHIPS);
  add('xl/_rels/workbook.xml.rels', WORKBOOK_RELATIONSHIPS);
  add('xl/styles.xml', STYLES);
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml', { compressionLevel: COMPRESSION_LEVEL });
  sheet.once('end', () => {
    add('xl/workbook.xml', workbookXml(sheetName, filter));
    zip.end();
  });
  sheet.on('error', (error) => file.destroy(error));
  return file.on('close', () => sheet.destroy());
}

/** @param filters is called with the range that the heading filters, once it is known */
async function* sheetXml(
  rows: Rows,
  timeZone: string,
  filters: (range: string) => void,
): AsyncGenerator<string> {
  const columns: string[] = [];
  /** Those of the first rows: they stand before all rows. Undefined once they are written. */
  let widths: number[] | undefined = [];
  let xml = '';
  let number = 0;
  for await (const row of rows) {
    number += 1;
    if (number > MAX_SHEET_ROWS || row.length > MAX_COLUMNS) {
      throw new RangeError(`A sheet has at most ${MAX_SHEET_ROWS} rows and ${MAX_COLUMNS} columns`);
    }
    while (columns.length < row.length) columns.push(columnName(columns.length));
    xml += `<row r="${number}">`;
    for (const [index, cell] of row.entries()) {
      if (widths) widths[index] = Math.max(widths[index] ?? 0, widthOf(cell, number === 1));
      if (cell !== null && cell !== '') xml += cellXml(cell, columns[index]!, number, timeZone);
    }
    xml += '</row>';
    if (xml.length >= CHUNK_CHARACTERS) {
      yield (widths ? sheetStart(widths) : '') + xml;
      widths = undefined;
      xml = '';
    }
  }
  const last = columns.at(-1);
  if (last) filters(`$A$1:$${last}$${number}`);
  yield `${widths ? sheetStart(widths) : ''}${xml}</sheetData>${last ? `<autoFilter ref="A1:${last}${number}"/>` : ''}</worksheet>`;
}

const TIME_CHARACTERS = 19;
const MAX_WIDTH = 60;

/** Characters, with room around them; a heading has a button. */
function widthOf(cell: Cell, isHeading: boolean): number {
  const characters = cell instanceof Date ? TIME_CHARACTERS : String(cell ?? '').length;
  return Math.min(characters + (isHeading ? 4 : 2), MAX_WIDTH);
}

function cellXml(cell: string | number | Date, column: string, row: number, timeZone: string): string {
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
  if (cell.length > MAX_CELL_CHARACTERS) cell = cutText(cell);
  // Quoted as by a typed apostrophe: the text stays a text when its cell is edited.
  const isQuoted = FORMULA_START.test(cell);
  const [plain, quoted] = row === 1 ? [STYLE.heading, STYLE.quotedHeading] : [STYLE.plain, STYLE.quotedText];
  const style = isQuoted || plain !== STYLE.plain ? ` s="${isQuoted ? quoted : plain}"` : '';
  return `<c r="${reference}"${style} t="inlineStr"><is><t xml:space="preserve">${escapeXml(cell)}</t></is></c>`;
}

/** A cut character. */
const FIRST_HALF = /[\ud800-\udbff]$/;

function cutText(text: string): string {
  const note = ` … [cut: the text has ${[...text].length} characters]`;
  const kept = text.slice(0, MAX_CELL_CHARACTERS - note.length);
  return kept.replace(FIRST_HALF, '') + note;
}

const DAY_MS = 86_400_000;
const UNIX_EPOCH_SERIAL = 25_569;
/** Spreadsheets disagree about earlier days: Excel counts a 29th of February 1900. */
const FIRST_COMMON_SERIAL = 61;

/** @returns days since 1899-12-30; undefined for a day on which spreadsheets disagree */
function serialDate(wallTime: string): number | undefined {
  const serial = Date.parse(`${wallTime.replace(' ', 'T')}Z`) / DAY_MS + UNIX_EPOCH_SERIAL;
  return serial >= FIRST_COMMON_SERIAL ? serial : undefined;
}

/** @param index from 0: A … Z, AA … */
function columnName(index: number): string {
  const rest = index >= 26 ? columnName(Math.floor(index / 26) - 1) : '';
  return rest + String.fromCharCode(65 + (index % 26));
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

/** The parts of a workbook around its rows (ECMA-376). */

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const CONTENT_TYPES =
  `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  `<Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`;

const PACKAGE_RELATIONSHIPS =
  `${XML}<Relationships xmlns="${RELATIONSHIPS}">` +
  `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

/** Indexes into `cellXfs` of `STYLES`. */
const STYLE = { plain: 0, time: 1, quotedText: 2, heading: 3, quotedHeading: 4 } as const;

const TIME_FORMAT_ID = 164;

const STYLES =
  `${XML}<styleSheet xmlns="${SPREADSHEET}">` +
  `<numFmts count="1"><numFmt numFmtId="${TIME_FORMAT_ID}" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>` +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  `<xf numFmtId="${TIME_FORMAT_ID}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1"/>' +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" quotePrefix="1" applyNumberFormat="1" applyFont="1"/></cellXfs>' +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

const WORKBOOK_RELATIONSHIPS =
  `${XML}<Relationships xmlns="${RELATIONSHIPS}">` +
  `<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>` +
  `<Relationship Id="rId2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`;

/** @param filter the heading's range, `$A$1:$C$9`; empty without rows. Spreadsheets find a filter by this name. */
function workbookXml(sheetName: string, filter: string): string {
  const names =
    filter &&
    '<definedNames><definedName name="_xlnm._FilterDatabase" localSheetId="0" hidden="1">' +
      `'${sheetName}'!${filter}</definedName></definedNames>`;
  return (
    `${XML}<workbook xmlns="${SPREADSHEET}" xmlns:r="${OFFICE}">` +
    `<sheets><sheet name="${sheetName}" sheetId="1" r:id="rId1"/></sheets>${names}</workbook>`
  );
}

/** Freezes the heading. Columns fit a time of a later row, too, which Excel would show as `###`. */
function sheetStart(widths: readonly number[]): string {
  const columns = widths.map((width, index) => {
    const number = index + 1;
    return `<col min="${number}" max="${number}" width="${Math.max(width, TIME_CHARACTERS + 1)}" customWidth="1"/>`;
  });
  return (
    `${XML}<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
    '<sheetViews><sheetView workbookViewId="0">' +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`
  );
}
