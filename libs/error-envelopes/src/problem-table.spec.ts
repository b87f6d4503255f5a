import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { AUTHENTICATION_FAILURES, PROBLEMS } from './problem-table';

it('every X-Error-Code is documented, and no other', () => {
  const text = readFileSync(join(workspaceRoot, 'apps/README.md'), 'utf8');
  const table = text.slice(text.indexOf('| `X-Error-Code`')).split('\n\n', 1)[0]!;
  const documented = [...table.matchAll(/^\| `(\w+)` +\| \S/gm)].map(([, code]) => code);
  const { unauthenticated: _, ...coded } = PROBLEMS;
  const codes = Object.entries(coded).map(([code, { errorCode }]) => errorCode ?? code);
  expect(documented.toSorted()).toEqual([...new Set([...AUTHENTICATION_FAILURES, ...codes])].toSorted());
});
