import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
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

describe('docker/runbook.md', () => {
  const { groups } = parse(read('docker/monitoring/alerts.yaml')) as {
    groups: { rules: { alert: string; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  it('has a section for each alert, and for nothing else', () => {
    const sections = [...read('docker/runbook.md').matchAll(/^## (.*)$/gm)].map(([, title]) => title);
    expect(sections.sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it.each(rules)('is where $alert leads to', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toMatch(
      new RegExp(`^https://.*/docker/runbook.md#${alert.toLowerCase()}$`),
    );
  });
});
