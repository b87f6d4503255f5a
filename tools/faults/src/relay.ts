import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo } from 'node:net';

/** One address in front of processes that come and go, as a Kubernetes Service has one. */
export async function startRelay(
  target: () => string,
): Promise<{ readonly url: string; readonly stop: () => void }> {
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const onward = connectTo(target);
    client.pipe(onward).pipe(client);
    for (const [socket, other] of [
      [client, onward],
      [onward, client],
    ] as const) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .on('close', () => {
          open.delete(socket);
          other.destroy();
        });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}

/** @param target throws while no process is there: the connection ends */
function connectTo(target: () => string): Socket {
  try {
    const { hostname, port } = new URL(target());
    return connect(Number(port), hostname);
  } catch {
    return new Socket().destroy();
  }
}

/** The setting with which webchat-gateway delivers to what is behind a relay. */
export function deliveringTo({ url }: { readonly url: string }) {
  return { CONTACT_CENTER_RECORDS_URL: `${url}/internal/records` };
}

/** Whether area B has everything of webchat. */
export async function isDelivered(database: { query(sql: string): Promise<unknown> }): Promise<boolean> {
  return ((await database.query('SELECT FROM webchat.undelivered LIMIT 1')) as unknown[]).length === 0;
}
