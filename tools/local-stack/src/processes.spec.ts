import { prefixLines } from './processes';

it.each([
  [['one\n'], '[app] one\n'],
  [['one\ntwo\n'], '[app] one\n[app] two\n'],
  [['o', 'ne', '\nt', 'wo\n'], '[app] one\n[app] two\n'],
  [['one\nunfinished'], '[app] one\n'],
  [['\n'], '[app] \n'],
])('puts the prefix before each whole line of %j', (pieces, expected) => {
  let written = '';
  const write = prefixLines('[app]', (text) => (written += text));
  for (const piece of pieces) write(piece);
  expect(written).toBe(expected);
});
