import { types } from 'node:util';

/**
 * PostgreSQL's codes for "not now": shutting down, starting up, too many connections, out of disk, memory or locks,
 * a statement that took too long, a deadlock's victim, a disk that fails; and for "not you": read-only, no login, no such database,
 * no right. https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const UNAVAILABLE_SQLSTATES =
  /^(08...|53...|57P0[1-5]|57014|58...|40P01|40001|25P03|55P03|25006|28...|3D000|42501)$/;

/** PostgreSQL's codes for a wrong value (data exception), and for a row that breaks a constraint. */
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

/** What pg, pg-pool and ioredis say, without a code of any kind, when the server can't be talked to. */
const UNAVAILABLE_MESSAGES =
  /^(Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed|Connection is closed|Command timed out|Stream isn't writeable|Reached the max retries per request limit|Cluster isn't ready|Failed to refresh slots cache|Too many Cluster redirections|All keys in the pipeline should belong to the same slots|None of startup nodes|All sentinels are unreachable)/;

/** How Redis words "not now", and that another node is to be asked; a script that met it is named before or after. */
const UNAVAILABLE_REPLIES =
  /(^|: -?)(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|BUSY|OOM|MISCONF|NOREPLICAS|MOVED|ASK|TRYAGAIN|UNBLOCKED) /;

/** Something that a request needs can't be reached; the message names it. */
export class DependencyUnavailableError extends Error {}

/** Whether an error means that PostgreSQL, Redis or the like can't serve right now, as opposed to a mistake of ours. */
export function isDependencyUnavailable(error: unknown): boolean {
  if (error instanceof DependencyUnavailableError) return true;
  // Not `instanceof`: the errors of Node.js's own sockets are of another realm when a test runs in a sandbox.
  if (!types.isNativeError(error)) return false;
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

/** How Citus passes on that a worker has refused a row that it copied there: with the code of an internal error. */
const REFUSED_BY_WORKER = /violates (unique|not-null|check|foreign key|exclusion) constraint/;

/**
 * Whether the data of a statement is at fault by PostgreSQL's answer: trying again would not help. No other error means that, known
 * or not.
 */
export function isDataFault(error: unknown): boolean {
  if (!types.isNativeError(error) || !('code' in error)) return false;
  return (
    DATA_FAULT_SQLSTATES.test(String(error.code)) ||
    (error.code === 'XX000' && REFUSED_BY_WORKER.test(error.message))
  );
}

/**
 * Whether PostgreSQL refused a row because of the constraint of this name. Citus adds the number of a shard to the name, and has it in the
 * message alone.
 */
export function violates(error: unknown, constraint: string): boolean {
  if (!(error instanceof Error) || !isDataFault(error)) return false;
  const { constraint: named = error.message } = error as { constraint?: string };
  return new RegExp(`\\b${constraint}(_\\d+)?\\b`).test(named);
}
