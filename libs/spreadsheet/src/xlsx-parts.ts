/** The parts of a workbook around its sheets (ECMA-376). */

export const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

const SPREADSHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The default of `xml` is for sheets, of which the workbook may have several. */
export const CONTENT_TYPES =
  `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  `<Default Extension="xml" ContentType="${TYPE}.worksheet+xml"/>` +
  `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
  `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`;

export const PACKAGE_RELATIONSHIPS =
  `${XML}<Relationships xmlns="${RELATIONSHIPS}">` +
  `<Relationship Id="rId1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;

/** Indexes into `cellXfs` of `STYLES`. */
export const STYLE = { plain: 0, time: 1, quotedText: 2, heading: 3, quotedHeading: 4 } as const;

const TIME_FORMAT_ID = 164;

export const STYLES =
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

/** A sheet that is written. */
export interface Sheet {
  readonly name: string;
  /** The last cell of what its heading filters; once it is written, unless it is empty. */
  filter?: { readonly column: string; readonly row: number };
}

/** The workbook and its relationships, by path. @param written `sheet1.xml`, `sheet2.xml` … */
export function workbookParts(written: readonly Sheet[]): Record<string, string> {
  const sheets = written.map(
    ({ name }, i) => `<sheet name="${name}" sheetId="${i + 1}" r:id="rId${i + 1}"/>`,
  );
  // Spreadsheets know a filter by this name.
  const filters = written.map(
    ({ name, filter }, i) =>
      filter &&
      `<definedName name="_xlnm._FilterDatabase" localSheetId="${i}" hidden="1">` +
        `'${name}'!$A$1:$${filter.column}$${filter.row}</definedName>`,
  );
  const names = filters.some(Boolean) ? `<definedNames>${filters.join('')}</definedNames>` : '';
  const relationships = [
    ...written.map((_, i) => ['worksheet', `worksheets/sheet${i + 1}.xml`]),
    ['styles', 'styles.xml'],
  ].map(
    ([type, target], i) => `<Relationship Id="rId${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return {
    'xl/workbook.xml': `${XML}<workbook xmlns="${SPREADSHEET}" xmlns:r="${OFFICE}"><sheets>${sheets.join('')}</sheets>${names}</workbook>`,
    'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${RELATIONSHIPS}">${relationships.join('')}</Relationships>`,
  };
}
