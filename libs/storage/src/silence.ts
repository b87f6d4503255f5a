import type { Socket } from 'node:net';
import type { ClientBase } from 'pg';

/** What pg has beside its types. */
type Connected = ClientBase & {
  readonly connection: { readonly stream: Socket };
  /** Whether no answer is owed. */
  readonly readyForQuery: boolean;
  readonly processID: number;
};

/**
 * Gives up a connection that owes an answer in silence for too long. The server is gone without a word, or the network dropped the
 * connection: pg itself waits as long as TCP does, a quarter of an hour.
 * @param mayWait asks over another connection, each time that the silence has lasted for `silenceMs` more, whether this one still works on it
 */
export function giveUpAfter(
  silenceMs: number,
  client: ClientBase,
  mayWait?: (processId: number, silentMs: number) => Promise<boolean>,
): void {
  const connected = client as Connected;
  const { stream } = connected.connection;
  let heard = -1;
  let silentMs = 0;
  const onSilence = async () => {
    if (connected.readyForQuery) return;
    silentMs = (stream.bytesRead === heard ? silentMs : 0) + silenceMs;
    heard = stream.bytesRead;
    const isPatient = await mayWait?.(connected.processID, silentMs);
    // The answer came meanwhile.
    if (connected.readyForQuery || stream.bytesRead > heard) return;
    if (isPatient) stream.setTimeout(silenceMs);
    else stream.destroy(new Error('Connection terminated: the server owes an answer for too long'));
  };
  // An idle connection is silent too: it is watched again once something is sent over it.
  stream.setTimeout(silenceMs).on('timeout', () => void onSilence());
}
