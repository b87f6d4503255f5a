/** How long a request may take in all until it is answered 503, in milliseconds. A client that gives up waits for two seconds. */
export const REQUEST_MS = 1_800;

/** The longest times of work in PostgreSQL, in milliseconds. */
export interface Times {
  readonly statementMs: number;
  /** For a lock of another transaction. */
  readonly lockMs: number;
  /** Between two statements of a transaction: a client that vanished must not keep its locks. */
  readonly idleInTransactionMs: number;
  /** For an answer that a connection owes: longer than a statement of a request may take; of work, until the server is asked about it. */
  readonly silenceMs: number;
}

/** Only tests have another one: `CXP_TEST_DEADLINE_MS`. */
export function requestMs(): number {
  // eslint-disable-next-line no-restricted-properties
  return Number(process.env.CXP_TEST_DEADLINE_MS ?? REQUEST_MS);
}

/** Of the statements of a request. */
export function requestTimes(): Times {
  const ms = requestMs();
  const lockMs = Math.max(ms - 400, 100);
  return { statementMs: ms - 300, lockMs, idleInTransactionMs: 10_000, silenceMs: ms + 200 };
}

/** Of background work, intakes and erasures. Longer statements raise their own limit, and are not silent for longer. */
export const WORK_TIMES: Times = {
  statementMs: 30_000,
  lockMs: 10_000,
  idleInTransactionMs: 60_000,
  silenceMs: 1_000,
};
