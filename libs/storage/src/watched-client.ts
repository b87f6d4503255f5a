import { Client, type ClientConfig } from 'pg';

declare module 'pg' {
  interface ClientBase {
    readonly processID: number;
  }
}

const CONNECT_TIMEOUT_MS = 1_500;

/** Milliseconds between questions about a running query. */
const WATCH_MS = 1_000;

/**
 * A client for pg's pool that closes itself after `query_timeout`: pg would return the connection, which still waits for the
 * answer, to the pool.
 * @param isRunning asks over another connection whether the backend works on the query; if not, the answer is lost
 */
export function watchedClient(isRunning?: (processId: number) => Promise<boolean>) {
  return class extends Client {
    constructor(config?: ClientConfig) {
      // The pool's own limit also covers waiting for a free connection.
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
