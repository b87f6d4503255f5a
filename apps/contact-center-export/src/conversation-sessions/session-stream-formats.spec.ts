import { text } from 'node:stream/consumers';
import { parseString } from 'fast-csv';
import { CONTRACT_FIELD_NAMES } from '../../test/contract-fields';
import type { StreamedRow } from './conversation-session.service';
import { csvStream as formatCsv } from './session-stream-formats';

const csvStream = (reads: AsyncIterable<StreamedRow[]>) => formatCsv(reads, true);

const FIELDS = {
  sessionIndex: 0,
  ticketId: null,
  ticketSubject: 'a "quoted", subject\r\non two lines',
  customerName: 'Nguyễn 😀',
  feedback: '',
  customFields: { 'Order, number': 'A"1', '10': 'ten' },
  cursor: 'xyz',
};

/** A row of a stream, of which only some fields are given. */
function streamed({
  cursor = '',
  ...fields
}: {
  readonly cursor?: string;
  readonly [name: string]: unknown;
}) {
  return { fields, cursor, conversationUpdatedAt: '' } as unknown as StreamedRow;
}

/** Each row a stretch of its own, or all of them one. */
async function* rowsOf(...rows: object[]): AsyncGenerator<StreamedRow[]> {
  for (const row of rows) yield Promise.resolve([streamed(row as never)]);
}

async function* atOnce(...rows: object[]): AsyncGenerator<StreamedRow[]> {
  yield Promise.resolve(rows.map((row) => streamed(row as never)));
}

async function readCsv(csv: string): Promise<string[][]> {
  const lines: string[][] = [];
  await new Promise((resolve, reject) => {
    parseString<string[], string[]>(csv)
      .on('data', (line) => lines.push(line))
      .on('end', resolve)
      .on('error', reject);
  });
  return lines;
}

describe('CSV', () => {
  it("has the contract's fields in order, then the cursor, whatever the order in a row", async () => {
    const [header, line, ...more] = await readCsv(await text(csvStream(rowsOf(FIELDS))));
    expect(header).toEqual([...CONTRACT_FIELD_NAMES, 'cursor']);
    const cells = Object.fromEntries(header!.map((name, index) => [name, line![index]]));
    expect(cells).toMatchObject({
      sessionIndex: '0',
      ticketId: '',
      ticketSubject: FIELDS.ticketSubject,
      customerName: FIELDS.customerName,
      feedback: '',
      cursor: 'xyz',
    });
    expect(JSON.parse(cells.customFields!)).toEqual(FIELDS.customFields);
    expect(more).toEqual([]);
  });

  it.each([
    ['=HYPERLINK("http://example.com")', `'=HYPERLINK("http://example.com")`],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['+84901234567', '+84901234567'],
    ['Hoa', 'Hoa'],
  ])('guards cells that a spreadsheet would run as a formula: %j', async (customerName, guarded) => {
    const nameIn = async (guardFormulas: boolean) => {
      const [header, line] = await readCsv(await text(formatCsv(rowsOf({ customerName }), guardFormulas)));
      return line![header!.indexOf('customerName')];
    };
    expect(await nameIn(true)).toBe(guarded);
    expect(await nameIn(false)).toBe(customerName);
  });

  it('of no rows is the header; every line ends in CRLF', async () => {
    expect(await text(csvStream(rowsOf()))).toBe(`${[...CONTRACT_FIELD_NAMES, 'cursor'].join(',')}\r\n`);
    for (const rows of [rowsOf, atOnce]) {
      expect(await text(csvStream(rows({ cursor: 'x' }, { cursor: 'y' })))).toMatch(/,x\r\n,+y\r\n$/);
    }
  });
});
