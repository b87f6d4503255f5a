import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { Cell } from './cell';
import type { Rows } from './delimited-file';

/** The most UTF-16 units that a spreadsheet's cell holds. https://support.microsoft.com/office/1672b34d */
const MOST_CELL_LENGTH = 32_767;

/**
 * A workbook of one sheet (ECMA-376, Office Open XML), written as it is read. Texts are texts, whatever they begin with:
 * no spreadsheet runs them as formulas. One that is longer than a cell may be is cut off.
 */
export function xlsxFile(rows: Rows): Readable {
  const zip = new ZipFile();
  for (const [path, xml] of Object.entries(FRAME)) zip.addBuffer(Buffer.from(XML + xml), path);
  const sheet = Readable.from(sheetXml(rows), { objectMode: false });
  zip.addReadStream(sheet, 'xl/worksheets/sheet1.xml');
  zip.end();
  const file = zip.outputStream as Readable;
  sheet.on('error', (error) => file.destroy(error));
  file.on('close', () => sheet.destroy());
  return file;
}

async function* sheetXml(rows: Rows): AsyncGenerator<string> {
  yield `${XML}<worksheet xmlns="${SPREADSHEET}"><sheetData>`;
  for await (const row of rows) yield `<row>${row.map(cellXml).join('')}</row>`;
  yield '</sheetData></worksheet>';
}

function cellXml(cell: Cell): string {
  if (cell === null || cell === '') return '<c/>';
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  const text = escapeXml(cell.slice(0, MOST_CELL_LENGTH).toWellFormed());
  return `<c t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

// XML has no control characters: Office writes them `_x0007_`, and text that looks like that with its `_` escaped.
const SPECIAL = /[&<>\r\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|_(?=x[\dA-Fa-f]{4}_)/g;
const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escapeXml(text: string): string {
  return text.replace(
    SPECIAL,
    (character) =>
      ENTITIES[character] ?? `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const CONTENT_TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** What a workbook needs around its sheet. */
const FRAME = {
  '[Content_Types].xml':
    `<Types xmlns="${CONTENT_TYPES}">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels':
    `<Relationships xmlns="${RELATIONSHIPS}">` +
    `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml':
    `<workbook xmlns="${SPREADSHEET}" xmlns:r="${OFFICE}">` +
    '<sheets><sheet name="Responses" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    `<Relationships xmlns="${RELATIONSHIPS}">` +
    `<Relationship Id="rId1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};
