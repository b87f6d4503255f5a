import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { workspaceRoot } from '@cxp/testing/local-servers';

const read = (file: string) => readFileSync(join(workspaceRoot, 'docker', file), 'utf8');
const { groups } = parse(read('monitoring/alerts.yaml')) as {
  groups: { rules: { alert: string; annotations: Record<string, string> }[] }[];
};
const sections = new Map(
  read('runbook.md')
    .split(/^## /m)
    .slice(1)
    .map((section) => [section.split('\n', 1)[0]!, section] as const),
);

describe('docker/runbook.md', () => {
  it('has a section for each alert, and for nothing else', () => {
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect([...sections.keys()].sort()).toEqual(alerts.sort());
  });

  it.each(groups.flatMap(({ rules }) => rules))('is where $alert leads to', ({ alert, annotations }) => {
    expect(annotations.runbook_url).toMatch(
      new RegExp(`^https://.*/docker/runbook.md#${alert.toLowerCase()}$`),
    );
  });

  it.each([...sections])('says of %s what to look at and what to do', (_, section) => {
    for (const part of ['**Look at**', '**Do**']) expect(section).toContain(part);
  });
});
