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
 * @param isUp asks the server over another connection; then a connection is given up only if this one does not answer either, because
 *   a statement of work may take long
 */
export function giveUpAfter(silenceMs: number, client: ClientBase, isUp?: () => Promise<boolean>): void {
  const connected = client as Connected;
  const { stream } = connected.connection;
  const giveUp = () => {
    if (connected.readyForQuery) return;
    stream.destroy(new Error('Connection terminated: the server owes an answer for too long'));
  };
  const ask = async () => {
    if (connected.readyForQuery) return;
    if (await isUp!()) stream.setTimeout(silenceMs);
    else giveUp();
  };
  stream.setTimeout(silenceMs, isUp ? () => void ask() : giveUp);
}
