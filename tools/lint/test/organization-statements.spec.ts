import { join } from 'node:path';
import ts from 'typescript';

// The follower writes the tables of a customer.
const EXCLUDED = [
  '**/node_modules',
  '**/database',
  '**/testing',
  '**/*.spec.ts',
  'libs/testing',
  'libs/follower',
];

const STATEMENT = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH|COPY)\b/;

/** Tables of organizations, where a statement names them: those of `access` and the one row of `change_epoch` are not spread. */
const TABLE =
  /\b(FROM|JOIN|INTO|UPDATE|COPY|USING) (?!pg_catalog\.|access\.)[\w?]+\.(?!change_epoch\b)\w+\b(?! ?\()/g;

/** Where a statement compares an organization, or writes one. */
const ORGANIZATION =
  /organization_id( COLLATE "C")? =|= [\w.]*organization_id\b|\(([\w.]+\.)?organization_id\b/g;

/** The organization is a value of the statement. */
const VALUE =
  /\borganization_id( COLLATE "C")? = (\$organizationId|\?)|\(organization_id, [\w, ]+\) = \(\$organizationId|(INTO|COPY) [\w?.]+( AS \w+)?\s+\(\s*organization_id\b/;

/** Statements that ask each shard of a cluster, and why they may: almost all are background work, which no request waits for. */
const OVER_ALL_ORGANIZATIONS: readonly [of: RegExp, reason: string][] = [
  [/FROM survey\.link_address WHERE public_id = \$publicId$/, 'a respondent knows no organization'],
  [/JOIN webchat\.conversation USING \(organization_id, id\)/, 'one question for all sockets'],
  [
    /FROM \?\.erasure WHERE erased_at IS NULL AND next_attempt_at/,
    'continues erasures, of whichever organization',
  ],
  [/FROM survey\.campaign CROSS JOIN LATERAL/, 'finds what has expired'],
  [/^SELECT \? FROM webchat\.undelivered$/, 'a metric of all organizations'],
  [/^SELECT DISTINCT .* WHERE op = 'delete' AND recorded_at/, 'finds organizations that have old removals'],
  [
    /^SELECT DISTINCT .*FROM contact_center\.record WHERE removed_at </,
    'finds organizations that have old removals',
  ],
  [/FROM \?\.webhook_endpoint (AS endpoint|GROUP BY)/, 'sends hints to endpoints, of whichever organization'],
  [/FROM \?\.change_feed WHERE organization_id = ANY/, 'one question for all readers that wait'],
];

/** The SQL in the sources of apps and libs. Of a text that is put together, what only a run knows is `?`. */
function statements(): string[] {
  const sources = ts.sys
    .readDirectory(join(__dirname, '../../..'), ['.ts'], EXCLUDED, ['apps/*/src/**/*', 'libs/*/src/**/*'])
    .map((file) => ts.createSourceFile(file, ts.sys.readFile(file)!, ts.ScriptTarget.Latest));
  const nodes = sources.flatMap((source) => descendants(source).map((node) => ({ node, source })));
  const constants = new Map<string, ts.Expression>();
  for (const { node, source } of nodes) {
    if (!ts.isVariableDeclaration(node) || !node.initializer || !ts.isIdentifier(node.name)) continue;
    for (const key of [node.name.text, source.fileName + node.name.text])
      constants.set(key, node.initializer);
  }
  const textOf = (node: ts.Node | undefined, file: string, depth = 0): string => {
    if (!node || depth > 20) return '?';
    const inside = (part: ts.Node | undefined) => textOf(part, file, depth + 1);
    if (ts.isStringLiteralLike(node)) return node.text;
    if (ts.isCallExpression(node)) return inside(node.expression);
    if (ts.isArrowFunction(node)) return inside(node.body);
    if (ts.isIdentifier(node)) return inside(constants.get(file + node.text) ?? constants.get(node.text));
    if (!ts.isTemplateExpression(node)) return '?';
    const rest = node.templateSpans.map(({ expression, literal }) => inside(expression) + literal.text);
    return node.head.text + rest.join('');
  };
  return nodes
    .filter(({ node }) => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node))
    .map(({ node, source }) => textOf(node, source.fileName))
    .filter((text) => STATEMENT.test(text) && text.match(TABLE));
}

function descendants(node: ts.Node): ts.Node[] {
  const all = [node];
  node.forEachChild((child) => void all.push(...descendants(child)));
  return all;
}

it('each statement names the organization of each table, or may ask all', () => {
  const all = statements();
  expect(all.length).toBeGreaterThan(80);
  const countOf = (text: string, of: RegExp) => text.match(of)?.length ?? 0;
  const broken = all.filter(
    (text) => !VALUE.test(text) || countOf(text, ORGANIZATION) < countOf(text, TABLE),
  );
  expect(broken.filter((text) => !OVER_ALL_ORGANIZATIONS.some(([of]) => of.test(text)))).toEqual([]);
  expect(OVER_ALL_ORGANIZATIONS.filter(([of]) => !broken.some((text) => of.test(text)))).toEqual([]);
});
