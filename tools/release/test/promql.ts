import { parser } from '@prometheus-io/lezer-promql';

/** What a PromQL expression asks for: each metric with the labels that it is selected by. */
export interface Expression {
  readonly metrics: readonly string[];
  readonly labels: readonly string[];
}

/** @throws when it is no PromQL */
export function readExpression(text: string): Expression {
  // What Grafana puts in at the time of asking.
  const expression = text.replaceAll('$__rate_interval', '5m');
  const found = { Identifier: new Set<string>(), LabelName: new Set<string>() };
  parser.parse(expression).iterate({
    enter: ({ type, name, from, to }) => {
      const part = expression.slice(from, to);
      if (type.isError) throw new Error(`no PromQL at ${from} (${part}): ${expression}`);
      if (name === 'Identifier' || name === 'LabelName') found[name].add(part);
    },
  });
  return { metrics: [...found.Identifier], labels: [...found.LabelName] };
}
