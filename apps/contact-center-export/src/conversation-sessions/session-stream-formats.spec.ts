import { text } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import { parseString } from 'fast-csv';
import { CONTRACT_FIELD_NAMES } from '../../test/contract-fields';
import { csvStream, ndjsonStream } from './session-stream-formats';

const FIELDS = {
  sessionIndex: 0,
  ticketId: null,
  ticketSubject: 'a "quoted", subject\r\non two lines',
  customerName: 'Nguyễn 😀',
  feedback: '',
  customFields: { 'Order, number': 'A"1', '10': 'ten' },
  cursor: 'xyz',
};

async function* rowsOf(...rows: object[]): AsyncGenerator<string> {
  for (const row of rows) yield Promise.resolve(JSON.stringify(row));
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

describe('NDJSON', () => {
  it('is a JSON object a line, each ended', async () => {
    expect(await text(ndjsonStream(rowsOf({ a: 1 }, { a: 2 })))).toBe('{"a":1}\n{"a":2}\n');
  });

  it('of no rows is empty', async () => {
    expect(await text(ndjsonStream(rowsOf()))).toBe('');
  });
});

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

  it('of no rows is the header; every line ends in CRLF', async () => {
    expect(await text(csvStream(rowsOf()))).toBe(`${[...CONTRACT_FIELD_NAMES, 'cursor'].join(',')}\r\n`);
    expect(await text(csvStream(rowsOf({ cursor: 'x' })))).toMatch(/,x\r\n$/);
  });
});

describe.each([
  ['NDJSON', ndjsonStream],
  ['CSV', csvStream],
])('%s', (_, format) => {
  it('reads only as far ahead as its buffers hold, and stops reading when the client goes away', async () => {
    let read = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<string> {
      try {
        for (; ; read++) yield Promise.resolve(JSON.stringify({ feedback: 'x'.repeat(1_000) }));
      } finally {
        closed = true;
      }
    }
    const stream = format(endless());
    stream.read(0);
    let before = -1;
    while (read > before) {
      before = read;
      for (let i = 0; i < 10; i++) await turn();
    }
    expect(read).toBeLessThan(200);
    stream.destroy();
    while (!closed) await turn();
  });

  it('fails when its rows do', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield '{}';
      throw await Promise.resolve(new Error('gone'));
    }
    await expect(text(format(failing()))).rejects.toThrow('gone');
  });
});
