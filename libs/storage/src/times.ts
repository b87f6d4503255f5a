/** How long a request may take in all until it is answered 503, in milliseconds. A client that gives up waits for two seconds. */
export const REQUEST_MS = 1_800;

/** The longest times of work in PostgreSQL, in milliseconds. */
export interface Times {
  readonly statementMs: number;
  /** For a lock of another transaction. */
  readonly lockMs: number;
  /** Between two statements of a transaction: a client that vanished must not keep its locks. */
  readonly idleInTransactionMs: number;
  /** For an answer: longer than a statement may take. */
  readonly queryMs: number;
}

let requestLimitMs = REQUEST_MS;

/** How long a request may take, in milliseconds. */
export function requestMs(): number {
  return requestLimitMs;
}

/** Only tests have another limit. It holds for services that start from now on. */
export function setRequestMs(milliseconds: number): void {
  requestLimitMs = milliseconds;
}

/** Of the statements of a request. */
export function requestTimes(): Times {
  const ms = requestMs();
  const lockMs = Math.max(ms - 400, 100);
  return { statementMs: ms - 300, lockMs, idleInTransactionMs: 10_000, queryMs: ms + 200 };
}

/** Of background work, intakes and erasures. A query is asked about each second (`watchedClient`): an intake may raise the limit of its statements. */
export const WORK_TIMES: Times = {
  statementMs: 30_000,
  lockMs: 10_000,
  idleInTransactionMs: 60_000,
  queryMs: 60_000,
};
