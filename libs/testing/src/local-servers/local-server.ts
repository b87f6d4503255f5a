import { once } from 'node:events';
import { createServer } from 'node:net';

export interface LocalServerOptions {
  /** Keeps the data between runs; default: a throw-away server. */
  directory?: string;
  /** The TCP port on 127.0.0.1; default: a free one. */
  port?: number;
  /** Additional settings of PostgreSQL: `name=value`. */
  settings?: readonly string[];
}

/** A server on 127.0.0.1 that ends no later than this process. */
export interface LocalServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Below the ephemeral ports of Linux, macOS and Windows. */
const FIRST_PORT = 20_000;
const PORTS_PER_WORKER = 2_000;
const WORKERS = 6;

/** Processes of one worker start at different ports, against collisions. */
let next = process.pid * 37;

/**
 * A free port of 127.0.0.1 in this Jest worker's range: no other caller gets it first.
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
