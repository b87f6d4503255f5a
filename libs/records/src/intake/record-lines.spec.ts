import fc from 'fast-check';
import { linesOf, linesOfStream } from './record-parser';

const MAX_BYTES = 40;

type Numbered = [number, string | undefined];

function split(text: string): Numbered[] {
  return [...linesOf(Buffer.from(text), MAX_BYTES)].map(({ number, bytes }) => [number, bytes?.toString()]);
}

async function splitStream(chunks: readonly Buffer[]): Promise<Numbered[]> {
  const lines: Numbered[] = [];
  async function* stream() {
    yield* chunks;
  }
  for await (const { number, bytes } of linesOfStream(stream(), MAX_BYTES))
    lines.push([number, bytes?.toString()]);
  return lines;
}

describe('the lines of a body', () => {
  it.each<[string, string, (string | undefined)[]]>([
    ['nothing', '', []],
    ['one line without an end', 'a', ['a']],
    ['one line with an end', 'a\n', ['a']],
    ['CRLF and LF', 'a\r\nb\nc\r\n', ['a', 'b', 'c']],
    ['a CR at the very end', 'a\r', ['a']],
    ['a CR inside a line', 'a\rb\n', ['a\rb']],
    ['blank lines, which are empty', '\n\r\na\n \t\n\nb', ['', '', 'a', '', '', 'b']],
    [
      'a line as long as it may be, and longer ones',
      `${'x'.repeat(40)}\r\n${'x'.repeat(41)}\n${'x'.repeat(500)}\nb`,
      ['x'.repeat(40), undefined, undefined, 'b'],
    ],
  ])('are %s', (_, text, lines) => {
    expect(split(text)).toEqual(lines.map((line, index) => [index + 1, line]));
  });

  it('are the same of a stream, wherever its chunks begin and end', async () => {
    const text = fc
      .array(
        fc.constantFrom('{"a":"é"}', '', ' ', '😀', 'x'.repeat(40), 'x'.repeat(41), 'x'.repeat(100), '\r'),
        { maxLength: 12 },
      )
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
        expect(await splitStream(chunks)).toEqual(split(whole));
      }),
    );
  });
});
