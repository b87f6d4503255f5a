export const DAY_MS = 24 * 60 * 60 * 1_000;

/** SQL of a UTC time to the microsecond, in the form of `utcTime`: elsewhere old instants have offsets with seconds, or another era. */
export function utcTimeSql(time: string): string {
  return `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Milliseconds until a request is answered 503; clients that give up wait for two seconds. */
export const REQUEST_MS = 1_800;

/** Milliseconds. */
export interface Times {
  readonly statementMs: number;
  readonly lockMs: number;
  /** Between two statements of a transaction, so that a vanished client does not keep its locks. */
  readonly idleInTransactionMs: number;
  /** Waiting for an answer: longer than a statement may take. */
  readonly queryMs: number;
}

/** Injects the milliseconds of the service's requests; tests have others than `REQUEST_MS`. */
export const REQUEST_LIMIT_MS = Symbol('REQUEST_LIMIT_MS');

export function requestTimes(ms: number): Times {
  const lockMs = Math.max(ms - 400, 100);
  return { statementMs: ms - 300, lockMs, idleInTransactionMs: 10_000, queryMs: ms };
}

/**
 * For background work, intakes and erasures. `watchedClient` asks about a query each second, because an intake may raise the
 * limit of its statements.
 */
export const WORK_TIMES: Times = {
  statementMs: 30_000,
  lockMs: 10_000,
  idleInTransactionMs: 60_000,
  queryMs: 60_000,
};
