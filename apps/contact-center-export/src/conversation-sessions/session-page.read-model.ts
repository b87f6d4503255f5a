import type { EntityManager } from 'typeorm';
import { nullable, numberColumn, Statement, textColumn } from '@cxp/storage';
import { countedPage, countedPageValues, type Scope, scopeOf, type SessionFilter } from '../session-counts';
import { hasDocument, STORED_ROW, type StoredRow } from './stored-row';

export interface SessionPage {
  /** Of all pages. */
  readonly total: number;
  /** Of the organization's schedule; null when it has none. */
  readonly scheduleVersion: string | null;
  /** The first ones, if all are too large to be read at once. */
  readonly rows: StoredRow[];
}

/** A page without rows comes as one row without a document. */
const FOUND = {
  ...STORED_ROW,
  document: nullable(STORED_ROW.document),
  total: numberColumn('row.total'),
  scheduleVersion: nullable(textColumn('row.schedule_version')),
};

const PAGE_STATEMENTS: Readonly<Record<Scope, Statement<typeof FOUND>>> = {
  everything: pageStatement('everything'),
  end_reasons: pageStatement('end_reasons'),
  groups: pageStatement('groups'),
};

/** One statement, and so one snapshot, for a page, the total and the version of the schedule. */
function pageStatement(scope: Scope): Statement<typeof FOUND> {
  return new Statement(FOUND, (list) => `SELECT ${list} FROM ${countedPage(scope)} AS row`, 'prepared');
}

/** The statement of a page and its values. */
export function pageQuery(
  organizationId: string,
  filter: SessionFilter,
  offset: number,
  limit: number,
): { readonly statement: Statement<typeof FOUND>; readonly values: unknown[] } {
  return {
    statement: PAGE_STATEMENTS[scopeOf(filter)],
    values: countedPageValues(organizationId, filter, offset, limit),
  };
}

/** So many rows from a place in the order, which is found by counts: the last page costs what the first does. */
export async function findPage(
  manager: EntityManager,
  ...query: Parameters<typeof pageQuery>
): Promise<SessionPage> {
  const { statement, values } = pageQuery(...query);
  const rows = await statement.run(manager, values);
  const { total, scheduleVersion } = rows[0]!;
  return { total, scheduleVersion, rows: rows.filter(hasDocument) };
}
