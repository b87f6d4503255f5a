import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { BackendActivity } from './backend-activity';
import { requestCancel } from './cancel-request';
import { DependencyUnavailableError } from './failures';

/** How long a connection may owe an answer in silence before the server is asked about it, in milliseconds. */
const SILENCE_MS = 700;

/** An answer that left the server just before it was asked is here by then. In milliseconds. */
const IN_FLIGHT_MS = 200;

/** How long after a cancel request a statement is over, unless the request came too soon. In milliseconds. */
const CANCEL_AGAIN_MS = 250;

const pgStartup = Client.prototype as unknown as { readonly getStartupConf: (this: Client) => object };

/** What a statement may take: PostgreSQL's own settings of a session, or the client's where sessions are shared. */
export type StatementLimits =
  | { readonly statement_timeout: number; readonly idle_in_transaction_session_timeout: number }
  | { readonly pooledSilenceMs: number };

export interface WatchedClientConfig extends ClientConfig {
  /** Only behind a pooler: how long a connection may owe an answer in silence, in milliseconds. */
  readonly pooledSilenceMs?: number;
  /** Is told the milliseconds from sending each statement to the end of its answer. */
  readonly onStatement?: (milliseconds: number) => void;
}

/**
 * A connection to PostgreSQL that is given up when nobody works on its query any more: the server is gone without a
 * word, or the network dropped the connection. The query fails then, and the pool makes a new connection, while pg
 * itself waits as long as TCP does, a quarter of an hour, and its `query_timeout` gives the stuck connection to the
 * next caller. A query that the server is busy with may take as long as it likes.
 *
 * Behind a pooler that gives a server connection to each transaction, the server's processes can't be asked about by number: a
 * connection is given up when it owes an answer in silence for as long as a statement may take. Statements have no names then,
 * because the next transaction meets another server connection.
 */
export class WatchedClient extends Client {
  declare readonly connection: Client['connection'] & { readonly stream: Socket };
  declare readonly processID: number;
  declare readonly secretKey: number;
  /** Whether no answer is owed. */
  declare readonly readyForQuery: boolean;
  private readonly activity: BackendActivity;
  private abandoned = false;

  constructor(private readonly config: WatchedClientConfig) {
    super(config);
    this.activity = BackendActivity.of(config);
    this.once('connect', () => {
      this.connection.stream.on('timeout', () => void this.check());
      this.connection.stream.setTimeout(config.pooledSilenceMs ?? SILENCE_MS);
    });
  }

  /**
   * Of pg, not in its types: what the connection begins with. Times are read as ISO 8601, whatever the database or the role is set to.
   * Poolers know the setting.
   */
  getStartupConf(): object {
    return { ...pgStartup.getStartupConf.call(this), DateStyle: 'ISO' };
  }

  get isAbandoned(): boolean {
    return this.abandoned;
  }

  /** Cancels the statement that is under way, and lets no other one run but the `ROLLBACK` of its transaction. */
  abandon(): void {
    this.abandoned = true;
    this.cancelWhileBusy();
  }

  /** Again and again: a request that reaches the server before the statement does changes nothing. */
  private cancelWhileBusy(): void {
    if (this.readyForQuery || this.connection.stream.destroyed) return;
    requestCancel(this);
    setTimeout(() => this.cancelWhileBusy(), CANCEL_AGAIN_MS);
  }

  /** As pg's own; its overloads can't be overridden one by one. */
  override query(...parameters: unknown[]): never {
    const [statement] = parameters;
    const isRefused = this.abandoned && !isSubmittable(statement) && statement !== 'ROLLBACK';
    if (!isRefused) {
      if (this.config.pooledSilenceMs && isNamed(statement))
        parameters[0] = { ...statement, name: undefined };
      return this.measure(parameters, () =>
        (super.query as (...all: unknown[]) => never).apply(this, parameters),
      );
    }
    const error = new DependencyUnavailableError('the request of this statement is answered');
    const callback = parameters.at(-1);
    if (typeof callback !== 'function') return Promise.reject(error) as never;
    process.nextTick(callback, error);
    return undefined as never;
  }

  private measure(parameters: unknown[], send: () => never): never {
    const { onStatement } = this.config;
    if (!onStatement) return send();
    const sentAt = performance.now();
    const observe = () => onStatement(performance.now() - sentAt);
    const [statement] = parameters;
    const callback: unknown = parameters.at(-1);
    if (typeof callback === 'function') {
      parameters[parameters.length - 1] = (...results: unknown[]) => {
        observe();
        Reflect.apply(callback, undefined, results);
      };
      return send();
    }
    if (isSubmittable(statement)) statement.once('close', observe);
    const answer: unknown = send();
    if (answer instanceof Promise) answer.then(observe, observe);
    return answer as never;
  }

  private async check(): Promise<void> {
    if (this.readyForQuery) return;
    const { stream } = this.connection;
    if (this.config.pooledSilenceMs) {
      requestCancel(this);
      stream.destroy(new Error('Connection terminated: the server owes an answer for too long'));
      return;
    }
    const { bytesRead } = stream;
    const working = await this.activity.isWorking(this.processID);
    if (working) {
      stream.setTimeout(SILENCE_MS);
      return;
    }
    await sleep(IN_FLIGHT_MS);
    if (stream.bytesRead === bytesRead) {
      stream.destroy(new Error('Connection terminated: the server does not work on its query'));
    }
  }
}

function isNamed(statement: unknown): statement is { name: string } {
  return (
    typeof statement === 'object' && statement !== null && 'name' in statement && !isSubmittable(statement)
  );
}

/** Cursors and COPY streams, which are ended by those who read them. */
function isSubmittable(statement: unknown): statement is EventEmitter {
  return typeof statement === 'object' && statement !== null && 'submit' in statement;
}
