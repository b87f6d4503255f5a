import { once } from 'node:events';
import { connect, createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One client's connection, and the one to the server on its behalf. */
interface Link {
  readonly client: Socket;
  readonly server: Socket;
  /** Something that was sent over it never arrived: it stays silent, as the network's other end would. */
  broken: boolean;
  /** Nor is its end answered. */
  forgotten: boolean;
}

/**
 * A TCP proxy in front of a server, on which a network's faults can be switched on and off; or in front of processes that come and go, as a
 * Kubernetes Service is.
 */
export class FaultyProxy {
  private readonly links = new Set<Link>();
  private delayMs = 0;
  private swallowing = false;
  private port = 0;

  private constructor(
    private readonly listener: Server,
    private readonly target: string | (() => string),
  ) {
    listener.on('connection', (client) => this.open(client));
  }

  /** @param target the server's URL, or what names the process that is there at the time: if it throws, the connection ends */
  static async before(target: string | (() => string)): Promise<FaultyProxy> {
    const listener = createServer({ allowHalfOpen: true });
    const proxy = new FaultyProxy(listener, target);
    await proxy.accept();
    return proxy;
  }

  /** The server's URL by way of the proxy. */
  get url(): string {
    const url = new URL(typeof this.target === 'string' ? this.target : 'http://127.0.0.1');
    url.port = String(this.port);
    return url.href.replace(/\/$/, '');
  }

  /** Everything arrives this much later, both ways. */
  delay(milliseconds: number): void {
    this.delayMs = milliseconds;
  }

  /** Connections stay open, and new ones are accepted, but nothing that is sent arrives any more. */
  swallow(): void {
    this.swallowing = true;
  }

  /** The connections that there are never speak again, as if a firewall had forgotten them; new ones work. */
  forget(): void {
    for (const link of this.links) link.broken = link.forgotten = true;
  }

  /** Ends the faults for new connections; those that lost something never speak again. The server learns that they are gone. */
  heal(): void {
    this.delayMs = 0;
    this.swallowing = false;
    for (const { server, broken } of this.links) if (broken) server.destroy();
  }

  /** Resets all connections; new ones are accepted. */
  cut(): void {
    for (const { client, server } of this.links) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** Refuses connections and resets those that there are, as where no server listens. */
  async refuse(): Promise<void> {
    this.listener.close();
    this.cut();
    await once(this.listener, 'close');
  }

  /** Takes connections, again on the same port after they were refused. */
  async accept(): Promise<void> {
    this.listener.listen(this.port, '127.0.0.1');
    await once(this.listener, 'listening');
    this.port = (this.listener.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    if (this.listener.listening) await this.refuse();
  }

  private open(client: Socket): void {
    const server = this.connectToTarget();
    const link = { client, server, broken: false, forgotten: false };
    this.links.add(link);
    this.forward(link, client, server);
    this.forward(link, server, client);
    client.on('end', () => link.forgotten || client.end());
    client.on('close', () => {
      link.broken ||= this.swallowing;
      if (!link.broken) server.destroy();
    });
    server.on('close', () => {
      if (link.forgotten) return;
      this.links.delete(link);
      if (!link.broken) client.destroy();
    });
  }

  private connectToTarget(): Socket {
    try {
      const { target } = this;
      const { port, hostname } = new URL(typeof target === 'string' ? target : target());
      return connect(Number(port), hostname);
    } catch {
      return new Socket().destroy();
    }
  }

  private forward(link: Link, from: Socket, to: Socket): void {
    let arrived = Promise.resolve();
    from.setNoDelay(true);
    from.on('error', () => undefined);
    from.on('data', (data) => {
      link.broken ||= this.swallowing;
      if (link.broken) return;
      const due = Date.now() + this.delayMs;
      // One after the other, so that what is sent later does not overtake.
      arrived = arrived.then(() => until(due)).then(() => void (to.writable && to.write(data)));
    });
  }
}

async function until(due: number): Promise<void> {
  const milliseconds = due - Date.now();
  if (milliseconds > 0) await sleep(milliseconds);
}
