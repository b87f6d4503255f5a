import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';

const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: workspaceRoot, encoding: 'utf8' })
  .split('\n')
  .filter((document) => document !== '' && existsSync(join(workspaceRoot, document)));

const read = (document: string) => readFileSync(join(workspaceRoot, document), 'utf8');

/** As GitHub makes them. */
function anchorsOf(document: string): string[] {
  const prose = read(document).replace(/^```[^]*?^```$/gm, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(documents)('%s has links to what exists', (document) => {
  const prose = read(document).replace(/^```[^]*?^```$/gm, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target]) => target!)
    .filter((target) => !/^https?:/.test(target));
  const broken = targets.filter((target) => {
    const [path, anchor] = target.split('#');
    const file = path === '' ? document : join(dirname(document), path!);
    if (!existsSync(join(workspaceRoot, file))) return true;
    return anchor !== undefined && !anchorsOf(file).includes(anchor);
  });
  expect(broken).toEqual([]);
});
