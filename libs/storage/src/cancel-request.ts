import { Connection, type Client } from 'pg';

/** How long a server that is there takes at most to accept a cancel request, in milliseconds. */
const CANCEL_TIMEOUT_MS = 2_000;

/** What pg keeps of a connection, as far as a cancel request needs it; its types leave some of it out. */
export type CancellableClient = Pick<Client, 'host' | 'port'> & {
  readonly ssl: unknown;
  readonly sslNegotiation?: string;
  readonly processID: number;
  readonly secretKey: number;
};

type RawConnection = Connection & {
  connect(port: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
};

/**
 * Asks the server to cancel the statement that a connection waits for, over a connection made for this one message, as the
 * protocol wants it. A pooler passes it on to the server that works for the connection. A request that gets lost changes
 * nothing: the statement ends by the server's own time limit.
 */
export function requestCancel({
  host,
  port,
  ssl,
  sslNegotiation,
  processID,
  secretKey,
}: CancellableClient): void {
  const connection = new Connection({ ssl, sslNegotiation } as never) as RawConnection;
  const { stream } = connection;
  const timer = setTimeout(() => stream.destroy(), CANCEL_TIMEOUT_MS);
  connection.on('error', () => undefined);
  connection.once('end', () => clearTimeout(timer));
  const send = () => connection.cancel(processID, secretKey);
  if (!ssl) connection.once('connect', send);
  else if (sslNegotiation !== 'direct') connection.once('connect', () => connection.requestSsl());
  connection.once('sslconnect', send);
  if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}`);
  else connection.connect(port, host);
}
