import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { workspaceRoot } from '@cxp/testing/local-servers';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets?: readonly { readonly expr: string }[];
  }[];
}
interface Alerts {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string }[];
  }[];
}
interface Adapter {
  readonly rules: { readonly custom: readonly { readonly seriesQuery: string }[] };
}

const read = (file: string): unknown =>
  parse(readFileSync(join(workspaceRoot, 'docker/monitoring', file), 'utf8'));
const dashboard = read('dashboard.json') as Dashboard;
const adapter = read('prometheus-adapter.yaml') as Adapter;

export const alertRules = (read('alerts.yaml') as Alerts).groups.flatMap(({ rules }) => rules);
export const autoscalerQueries = adapter.rules.custom.map(({ seriesQuery }) => seriesQuery);

/** All PromQL of docker/monitoring, as Prometheus gets it. */
export const expressions = [
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      name: `panel ${title}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    })),
  ),
  ...alertRules.map(({ alert, expr }) => ({ name: `alert ${alert}`, expr })),
  ...autoscalerQueries.map((expr) => ({ name: 'the autoscaler', expr })),
];

const KEYWORDS =
  /^(and|or|unless|by|without|on|ignoring|group_left|group_right|offset|bool|sum|max|min|avg|count)$/;

/** The metrics and labels in PromQL: words outside of texts that are no keyword, function or duration. */
export function namesIn(expression: string): string[] {
  const words = expression.replaceAll(/"[^"]*"|'[^']*'/g, '').match(/(?<![\w.])[a-z_]\w*\b(?!\s*\()/gi) ?? [];
  return [...new Set(words.filter((word) => !KEYWORDS.test(word)))];
}
