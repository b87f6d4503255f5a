import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { ERROR_CODES } from './error-codes';

it('every code is documented with its meaning, and no other', () => {
  const text = readFileSync(join(workspaceRoot, 'apps/README.md'), 'utf8');
  const table = text.slice(text.indexOf('| `X-Error-Code`')).split('\n\n', 1)[0]!;
  const rows = [...table.matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, code, meaning]) => [
    code,
    meaning,
  ]);
  expect(rows).toEqual(Object.entries(ERROR_CODES));
});
