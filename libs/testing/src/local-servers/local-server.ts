import { once } from 'node:events';
import { createServer } from 'node:net';

export interface LocalServerOptions {
  /** Where the data is kept between runs; without it the server is a throw-away one. */
  directory?: string;
  /** The TCP port on 127.0.0.1; by default a free one. */
  port?: number;
  /** Of PostgreSQL, beside its own: `name=value`. */
  settings?: readonly string[];
}

/** A database server on 127.0.0.1 that ends with this process, or before it. */
export interface LocalServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Below the ports that Linux, macOS and Windows give to outgoing connections and to `listen(0)`. */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 2_000;
const WORKERS = 6;

/** Processes of one worker begin at different places, so that they do not take the same port at the same moment. */
let next = process.pid * 37;

/**
 * A TCP port of 127.0.0.1 that is free, of the range that this worker of Jest has for itself: no other caller gets it before it is used.
 * @throws when all ports of the range are taken
 */
export async function freePort(): Promise<number> {
  const first = FIRST_PORT + (Number(process.env.JEST_WORKER_ID ?? 0) % WORKERS) * PORTS_PER_WORKER;
  for (let tried = 0; tried < PORTS_PER_WORKER; tried++) {
    const port = first + (next++ % PORTS_PER_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${first} to ${first + PORTS_PER_WORKER - 1} is free`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
