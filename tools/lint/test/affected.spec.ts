import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';

const lines = readFileSync(join(workspaceRoot, '.ci/affected'), 'utf8')
  .split('\n')
  .filter((line) => line && !line.startsWith('#'))
  .map((line) => line.split(/ +/));

const filesOf = (...patterns: string[]) =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    cwd: workspaceRoot,
    encoding: 'utf8',
  })
    .split('\n')
    .filter(Boolean);

it('every test that runs if something has changed is named in .ci/affected', () => {
  const names = lines.map(([test]) => test!);
  expect(filesOf('*.affected.ts').filter((file) => !names.some((name) => file.startsWith(name)))).toEqual([]);
});

it.each(lines)('%s exists, as all that it depends on', (test, ...paths) => {
  for (const path of [`${test}*`, ...paths]) expect([path, filesOf(path)]).not.toEqual([path, []]);
});
