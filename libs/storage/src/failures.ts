/**
 * SQLSTATEs that mean "not now": shutting down, starting up, too many connections, out of disk, memory or locks, a timeout, a
 * deadlock, a failing disk; and "not you": read-only, no login, no such database, no right.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_SQLSTATES =
  /^(08...|53...|57P0[1-5]|57014|58...|40P01|40001|25P03|55P03|25006|28...|3D000|42501)$/;

/** SQLSTATEs of a wrong value (data exception) and of a broken constraint. */
const DATA_FAULT_SQLSTATES = /^(22|23)...$/;

const UNAVAILABLE_SOCKET_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'NR_CLOSED',
]);

/** Messages without a code from pg, pg-pool and ioredis when the server can't be reached. */
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Connection is closed|Command timed out|Stream isn't writeable|Reached the max retries per request limit|Cluster isn't ready|Failed to refresh slots cache|Too many Cluster redirections|All keys in the pipeline should belong to the same slots|None of startup nodes|All sentinels are unreachable)/;

/** Replies of Redis that mean "not now", or another node; scripts add text before or after. */
const UNAVAILABLE_REPLIES =
  /(^|: -?)(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|BUSY|OOM|MISCONF|NOREPLICAS|MOVED|ASK|TRYAGAIN|UNBLOCKED) /;

/** The message names what can't be reached. */
export class DependencyUnavailableError extends Error {}

/** True if PostgreSQL or Redis can't serve now; false for our own mistakes. */
export function isDependencyUnavailable(error: unknown): boolean {
  if (error instanceof DependencyUnavailableError) return true;
  if (!(error instanceof Error)) return false;
  const driverError = 'driverError' in error ? error.driverError : undefined;
  if (driverError && driverError !== error) return isDependencyUnavailable(driverError);
  if ('errors' in error && Array.isArray(error.errors) && error.errors.length > 0) {
    return error.errors.every(isDependencyUnavailable);
  }
  const code = 'code' in error ? String(error.code) : '';
  return (
    UNAVAILABLE_SQLSTATES.test(code) ||
    UNAVAILABLE_SOCKET_CODES.has(code) ||
    UNAVAILABLE_MESSAGES.test(error.message) ||
    UNAVAILABLE_REPLIES.test(error.message)
  );
}

/** Citus reports a row that a worker refused with the code of an internal error. */
const REFUSED_BY_WORKER = /violates (unique|not-null|check|foreign key|exclusion) constraint/;

/** True if PostgreSQL blames the statement's data, so that a retry is useless; all other errors may be retried. */
export function isDataFault(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  return (
    DATA_FAULT_SQLSTATES.test(String(error.code)) ||
    (error.code === 'XX000' && REFUSED_BY_WORKER.test(error.message))
  );
}

/** Citus appends a shard's number to the constraint's name, and has the name in the message alone. */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error) || !isDataFault(error)) return false;
  const { constraint: named = error.message } = error as { constraint?: string };
  return new RegExp(`\\b${constraint}(_\\d+)?\\b`).test(named);
}

/** Host and port for logs, without user, password and parameters. */
export function storeAddress(url: string): string {
  const [, authority = ''] = /^[\w+]+:\/\/(?:[^/?#]*@)?([^/?#]*)/.exec(url) ?? [];
  return authority;
}

export function failureReason(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return [...new Set(error.errors.map(failureReason))].join('; ');
  }
  return error instanceof Error ? error.message || error.name : String(error);
}

/** The service can't use this store however long it waits. The message is one line with the remedy. */
export class UnusableStoreError extends Error {}
