import fc from 'fast-check';
import { MAX_LINE_BYTES, ndjsonLines } from './ndjson-lines';

async function* chunksOf(...chunks: (string | Buffer)[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk as string);
}

async function linesOf(chunks: AsyncIterable<Buffer>): Promise<[number, string | undefined][]> {
  const lines: [number, string | undefined][] = [];
  for await (const some of ndjsonLines(chunks)) {
    lines.push(...some.map(({ number, bytes }): [number, string | undefined] => [number, bytes?.toString()]));
  }
  return lines;
}

describe('ndjsonLines', () => {
  it.each<[string, string, [number, string][]]>([
    ['nothing', '', []],
    ['one line without an end', 'a', [[1, 'a']]],
    ['one line with an end', 'a\n', [[1, 'a']]],
    [
      'CRLF',
      'a\r\nb\r\n',
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [
      'CRLF and LF',
      'a\r\nb\nc\r\n',
      [
        [1, 'a'],
        [2, 'b'],
        [3, 'c'],
      ],
    ],
    ['a CR at the very end', 'a\r', [[1, 'a']]],
    ['a CR inside a line', 'a\rb\n', [[1, 'a\rb']]],
    [
      'blank lines, which count as lines',
      '\n\r\na\n \t\n\nb',
      [
        [3, 'a'],
        [6, 'b'],
      ],
    ],
    ['only blank lines', '\n \n\r\n', []],
  ])('splits %s', async (_, text, lines) => {
    expect(await linesOf(chunksOf(text))).toEqual(lines);
  });

  it('gives the same lines wherever chunks begin and end', async () => {
    const text = fc
      .array(fc.constantFrom('{"a":"é"}', '', ' ', '😀', 'x'.repeat(40), '\r'), { maxLength: 12 })
      .chain((lines) => fc.constantFrom('\n', '\r\n').map((end) => lines.join(end)));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(400)), async (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const bounds = [
          0,
          ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b),
          bytes.length,
        ];
        const chunks = bounds.slice(1).map((end, i) => bytes.subarray(bounds[i], end));
        expect(await linesOf(chunksOf(...chunks))).toEqual(await linesOf(chunksOf(bytes)));
      }),
    );
  });

  it.each(['\n', '\r\n', ''])(
    'takes a line of exactly 1 MiB that ends in %j, and refuses a byte more',
    async (end) => {
      const line = 'x'.repeat(MAX_LINE_BYTES);
      expect(await linesOf(chunksOf(line + end))).toEqual([[1, line]]);
      expect(await linesOf(chunksOf(`${line}x${end}`))).toEqual([[1, undefined]]);
      expect(await linesOf(chunksOf(line, 'x', end))).toEqual([[1, undefined]]);
    },
  );

  it('passes over a line that is too long, keeps none of it, and goes on with the next', async () => {
    async function* endless() {
      yield Buffer.from('a\n');
      for (let i = 0; i < 100; i++) yield Buffer.alloc(MAX_LINE_BYTES / 2, 'x');
      yield Buffer.from('\nb');
    }
    const concat = jest.spyOn(Buffer, 'concat');
    expect(await linesOf(endless())).toEqual([
      [1, 'a'],
      [2, undefined],
      [3, 'b'],
    ]);
    const joined = concat.mock.calls.map(([parts]) => parts.reduce((sum, { length }) => sum + length, 0));
    concat.mockRestore();
    expect(Math.max(...joined)).toBeLessThanOrEqual(MAX_LINE_BYTES + 1);
  });

  it('reads no further than it is asked to', async () => {
    let read = 0;
    async function* counted() {
      for (;;) yield Buffer.from(`${++read}\n`);
    }
    const lines = ndjsonLines(counted());
    for (let i = 1; i <= 3; i++) {
      expect((await lines.next()).value).toEqual([{ number: i, bytes: Buffer.from(String(i)) }]);
      expect(read).toBe(i);
    }
    await lines.return(undefined);
  });
});
