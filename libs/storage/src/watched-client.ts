import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { BackendActivity } from './backend-activity';

/** How long a connection may owe an answer in silence before the server is asked about it, in milliseconds. */
const SILENCE_MS = 700;

/** An answer that left the server just before it was asked is here by then. In milliseconds. */
const IN_FLIGHT_MS = 200;

/**
 * A connection to PostgreSQL that is given up when nobody works on its query any more: the server is gone without a
 * word, or the network dropped the connection. The query fails then, and the pool makes a new connection, while pg
 * itself waits as long as TCP does, a quarter of an hour, and its `query_timeout` gives the stuck connection to the
 * next caller. A query that the server is busy with may take as long as it likes. Connections have to be PostgreSQL's
 * own: a pooler between would number them differently.
 */
export class WatchedClient extends Client {
  declare readonly connection: Client['connection'] & { readonly stream: Socket };
  declare readonly processID: number;
  /** Whether no answer is owed. */
  declare readonly readyForQuery: boolean;
  private readonly activity: BackendActivity;

  constructor(config: ClientConfig) {
    super(config);
    this.activity = BackendActivity.of(config);
    this.once('connect', () => {
      this.connection.stream.on('timeout', () => void this.check());
      this.connection.stream.setTimeout(SILENCE_MS);
    });
  }

  private async check(): Promise<void> {
    if (this.readyForQuery) return;
    const { stream } = this.connection;
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
