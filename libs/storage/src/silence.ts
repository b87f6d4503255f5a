import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';

/** What pg has beside its types. */
type Connected = ClientBase & {
  readonly connection: { readonly stream: Socket };
  /** Whether no answer is owed. */
  readonly readyForQuery: boolean;
};

/**
 * Gives up a connection that owes an answer in silence for too long. The server is gone without a word, or the network dropped the
 * connection: pg itself waits as long as TCP does, a quarter of an hour.
 */
export function giveUpAfter(silenceMs: number, client: ClientBase): void {
  const connected = client as Connected;
  const { stream } = connected.connection;
  stream.setTimeout(silenceMs, () => {
    if (connected.readyForQuery) return;
    stream.destroy(new Error('Connection terminated: the server owes an answer for too long'));
  });
}
