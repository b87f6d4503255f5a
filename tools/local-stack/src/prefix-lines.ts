/** Passes whole lines on, each with a prefix; the pieces of text may end anywhere. */
export function prefixLines(prefix: string, write: (text: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) write(`${prefix} ${line}\n`);
  };
}
