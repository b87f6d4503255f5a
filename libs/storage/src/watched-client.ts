import { Client, type ClientConfig } from 'pg';

declare module 'pg' {
  interface ClientBase {
    /** Of its backend. */
    readonly processID: number;
  }
}

/** How long a new connection may take, in milliseconds. */
const CONNECT_TIMEOUT_MS = 1_500;

/** How often a query that is under way is asked about, in milliseconds. */
const WATCH_MS = 1_000;

/**
 * pg's client for a pool. pg gives up a query after `query_timeout`, and would give its connection, which still waits for the answer, back to the
 * pool: this one is closed.
 * @param isRunning asks over another connection whether the backend works on a query that is under way; if not, the answer is lost
 */
export function watchedClient(isRunning?: (processId: number) => Promise<boolean>) {
  return class extends Client {
    constructor(config?: ClientConfig) {
      // That of the pool is also for waiting for a free connection, which may take longer.
      super({ ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    }

    override query(...args: unknown[]): never {
      const answer = super.query(...(args as [string])) as Promise<unknown> | undefined;
      let isOver = answer === undefined;
      const ask = async () => {
        if (!(await isRunning!(this.processID)) && !isOver) void this.end();
      };
      const timer = isRunning && !isOver && setInterval(() => void ask(), WATCH_MS);
      const end = (error?: unknown) => {
        isOver = true;
        if (timer) clearInterval(timer);
        if (error instanceof Error && error.message === 'Query read timeout') void this.end();
      };
      answer?.then(() => end(), end);
      return answer as never;
    }
  };
}
