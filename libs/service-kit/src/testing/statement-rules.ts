import { parsePlPgSQLSync, parseSync } from 'libpg-query';

/** What the rules need of a database. */
export interface StatementCatalog {
  /** Tables whose rows are spread by organization, with their schema. */
  readonly tables: ReadonlySet<string>;
  /** Those that number their rows. */
  readonly identities: ReadonlySet<string>;
  /** The volatility of functions in pg_proc, by name: of overloads the least. */
  readonly volatilities: ReadonlyMap<string, 'v' | 's' | 'i'>;
}

/** Of the tree of a statement: https://github.com/pganalyze/libpg_query. There are hundreds of types of them. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Node = Readonly<Record<string, any>>;

const STATEMENTS = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

const CONSTANT = 'constant';

/** A query, with what it reads from. */
interface Scope {
  readonly outer: Scope | undefined;
  /** What the query names, and whether that is a table of organizations: another object for each, so that an inner name hides an outer one. */
  readonly sources: Map<string, { readonly table: string | undefined }>;
  /** Which organizations are equal. */
  readonly equal: [unknown, unknown][];
}

/**
 * What of a statement would be refused, slow or silently wrong if the tables of organizations were distributed by Citus: each line names it.
 * @param text SQL; of several statements each is checked
 */
export function statementProblems(text: string, catalog: StatementCatalog): string[] {
  return new StatementRules(catalog).check(text);
}

/** The statements of a function in PL/pgSQL. @param definition `CREATE FUNCTION …` */
export function statementsOfFunction(definition: string): string[] {
  const statements: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { PLpgSQL_expr: expression } = node as Node;
    // Other modes are expressions and assignments.
    if (expression?.parseMode === 0) statements.push(expression.query as string);
    Object.values(node).forEach(visit);
  };
  visit(parsePlPgSQLSync(definition));
  return statements;
}

class StatementRules {
  private readonly problems = new Set<string>();
  /** Whether Citus runs the statement in steps, as one with a CTE that inserts: it can't be sent to a shard as a whole. */
  private isInSteps = false;

  constructor(private readonly catalog: StatementCatalog) {}

  check(text: string): string[] {
    for (const { stmt } of parseSync(text).stmts ?? []) {
      const tree = JSON.stringify(stmt);
      this.isInSteps = tree.includes('"InsertStmt"') && tree.includes('"CommonTableExpr"');
      this.visit(stmt, undefined);
    }
    return [...this.problems];
  }

  private visit(node: unknown, scope: Scope | undefined): void {
    if (Array.isArray(node)) for (const one of node) this.visit(one, scope);
    if (typeof node !== 'object' || node === null) return;
    for (const [name, child] of Object.entries(node as Node)) {
      if (STATEMENTS.includes(name)) this.query(name, child as Node, scope);
      else {
        if (name === 'ColumnRef') this.column(child as Node);
        if (name === 'FuncCall') this.call(child as Node);
        if (name === 'CopyStmt' && child.is_from) this.inserted(child.relation, child.attlist?.map(nameOf));
        this.visit(child, scope);
      }
    }
  }

  private query(kind: string, query: Node, outer: Scope | undefined): void {
    this.visit(query.withClause, outer);
    if (query.larg) {
      for (const part of [query.larg, query.rarg]) this.query('SelectStmt', part as Node, outer);
      return;
    }
    const scope: Scope = { outer, sources: new Map(), equal: [] };
    if (kind === 'InsertStmt') this.insert(query);
    else if (query.relation) this.from({ RangeVar: query.relation }, scope);
    for (const item of [...(query.fromClause ?? []), ...(query.usingClause ?? [])])
      this.from(item as Node, scope);
    this.condition(query.whereClause as Node, scope);
    const known = knownOrganizations(scope);
    for (const [name, source] of scope.sources) {
      if (!source.table || known.has(source)) continue;
      const alias = source.table.endsWith(name) ? '' : ` (${name})`;
      this.problems.add(`${source.table}${alias}: no organization_id = $n`);
    }
    if (query.relation && kind !== 'InsertStmt') {
      this.evaluated(query.relation as Node, [query.targetList, query.whereClause]);
    }
    const { withClause: _, ...rest } = query;
    this.visit(rest, scope);
  }

  private from(item: Node, scope: Scope): void {
    const { RangeVar, JoinExpr, RangeSubselect, RangeFunction } = item;
    if (RangeVar) {
      const table = tableOf(RangeVar as Node);
      const source = { table: this.catalog.tables.has(table) ? table : undefined };
      const alias = RangeVar.alias?.aliasname as string | undefined;
      for (const name of alias ? [alias] : [table, RangeVar.relname as string])
        scope.sources.set(name, source);
    }
    const alias = (RangeSubselect ?? RangeFunction)?.alias?.aliasname as string | undefined;
    if (alias) scope.sources.set(alias, { table: undefined });
    if (!JoinExpr) return;
    const before = new Set(scope.sources.values());
    this.from(JoinExpr.larg as Node, scope);
    this.from(JoinExpr.rarg as Node, scope);
    if (JoinExpr.usingClause?.map(nameOf).includes('organization_id')) {
      const joined = [...scope.sources.values()].filter((source) => !before.has(source));
      for (const source of joined) scope.equal.push([joined[0], source]);
    }
    this.condition(JoinExpr.quals as Node, scope);
  }

  private condition(expression: Node | undefined, scope: Scope): void {
    if (expression?.BoolExpr?.boolop === 'AND_EXPR') {
      for (const part of expression.BoolExpr.args) this.condition(part as Node, scope);
    }
    const { kind, name, lexpr, rexpr } = (expression?.A_Expr ?? {}) as Node;
    if (kind !== 'AEXPR_OP' || nameOf(name[0]) !== '=') return;
    const [left, right] = [lexpr, rexpr].map((side) => (side.RowExpr?.args ?? [side]) as Node[]);
    left!.forEach((one, place) => {
      const other = right![place];
      if (other) scope.equal.push([this.organization(one, scope), this.organization(other, scope)]);
    });
  }

  /** Whose organization an expression is: a source, a constant, or undefined if it is none. */
  private organization(expression: Node, scope: Scope): unknown {
    const { TypeCast, CollateClause, ParamRef, A_Const, ColumnRef } = expression;
    if (TypeCast ?? CollateClause) return this.organization((TypeCast ?? CollateClause).arg as Node, scope);
    if (ParamRef ?? A_Const) return CONSTANT;
    if (!ColumnRef) return undefined;
    const names = (ColumnRef.fields as Node[]).map(nameOf);
    if (names.at(-1) !== 'organization_id') return undefined;
    const source = names.slice(0, -1).join('.');
    for (let at: Scope | undefined = scope; at; at = at.outer) {
      const found = source ? at.sources.get(source) : [...at.sources.values()].find(({ table }) => table);
      if (found) return found;
    }
    // A variable of a function.
    return source ? CONSTANT : undefined;
  }

  private insert({ relation, cols, selectStmt, onConflictClause }: Node): void {
    const columns = (cols as Node[] | undefined)?.map(({ ResTarget }) => ResTarget.name as string);
    this.inserted(relation as Node, columns);
    this.evaluated(relation as Node, [onConflictClause?.targetList, onConflictClause?.whereClause]);
    const place = columns?.indexOf('organization_id') ?? -1;
    const table = tableOf(relation as Node);
    if (place < 0 || !this.catalog.tables.has(table)) return;
    const { op, valuesLists, targetList } = (selectStmt?.SelectStmt ?? {}) as Node;
    if (op && op !== 'SETOP_NONE' && this.catalog.identities.has(table)) {
      this.problems.add(`${table}: numbers for a set operation need a right on its sequence`);
    }
    const values = (valuesLists as Node[] | undefined)?.map(({ List }) => List.items[place] as Node) ?? [
      targetList?.[place]?.ResTarget.val as Node | undefined,
    ];
    if (values.some((value) => value && 'SubLink' in value)) {
      this.problems.add(`${table}: the organization of an INSERT is in a sub-select`);
    }
  }

  private inserted(relation: Node | undefined, columns: readonly string[] | undefined): void {
    const table = relation && tableOf(relation);
    if (!table || !this.catalog.tables.has(table) || columns?.includes('organization_id')) return;
    this.problems.add(`${table}: INSERT without organization_id`);
  }

  private column({ fields }: Node): void {
    const name = nameOf((fields as Node[]).at(-1)!);
    if (name === 'ctid' && this.isInSteps) this.problems.add('ctid, in a statement that runs in steps');
    if (name === 'xmin' || name === 'xmax') this.problems.add(`${name} is another one on each shard`);
  }

  private call({ funcname, args }: Node): void {
    const setting = args?.[0]?.A_Const?.sval?.sval as string | undefined;
    if (nameOf((funcname as Node[]).at(-1)!) === 'set_config' && /^(?!citus\.).*\./.test(setting ?? '.')) {
      this.problems.add(`set_config of ${setting}: no worker has it`);
    }
  }

  /** What an UPDATE, a DELETE or a DO UPDATE computes: on each shard again, so that it has to be the same everywhere. */
  private evaluated(relation: Node, node: unknown, isChosen = false): void {
    if (typeof node !== 'object' || node === null || !this.catalog.tables.has(tableOf(relation))) return;
    for (const [name, child] of Object.entries(node as Node)) {
      if (STATEMENTS.includes(name)) continue;
      if (name === 'FuncCall') {
        const called = nameOf((child.funcname as Node[]).at(-1)!);
        const volatility = this.catalog.volatilities.get(called);
        const problem =
          volatility === 'v'
            ? 'is volatile'
            : volatility === 's' && isChosen
              ? 'is chosen by CASE or COALESCE'
              : volatility === 's' && hasColumn(child.args)
                ? 'is given a column'
                : undefined;
        if (problem) this.problems.add(`${called}() ${problem}, in what an UPDATE or DELETE computes`);
      }
      this.evaluated(relation, child, isChosen || name === 'CaseExpr' || name === 'CoalesceExpr');
    }
  }
}

/** The sources whose organization is equal to a constant. */
function knownOrganizations(scope: Scope): Set<unknown> {
  const equal: [unknown, unknown][] = [];
  for (let at: Scope | undefined = scope; at; at = at.outer) equal.push(...at.equal);
  const known = new Set<unknown>([CONSTANT]);
  for (let before = 0; before < known.size;) {
    before = known.size;
    for (const pair of equal) {
      const isKnown = pair.some((one) => known.has(one));
      if (isKnown) for (const one of pair) if (one !== undefined) known.add(one);
    }
  }
  return known;
}

function hasColumn(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  return 'ColumnRef' in node || Object.values(node).some(hasColumn);
}

function tableOf({ schemaname, relname }: Node): string {
  return [schemaname, relname].filter(Boolean).join('.');
}

function nameOf(node: Node): string {
  return (node.String?.sval ?? '*') as string;
}
