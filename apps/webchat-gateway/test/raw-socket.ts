import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The bytes of an upgrade request for a websocket. A header that is undefined is left out; one of several values is repeated. */
export function upgradeRequest(
  path: string,
  headers: Readonly<Record<string, string | readonly string[] | undefined>> = {},
  method = 'GET',
): string {
  const all = {
    Host: 'webchat.test',
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Version': '13',
    'Sec-WebSocket-Key': randomBytes(16).toString('base64'),
    ...headers,
  };
  const lines = Object.entries(all).flatMap(([name, values = []]) =>
    [values].flat().map((value) => `${name}: ${value}\r\n`),
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}

export interface FrameOptions {
  /** Default 1: text. */
  readonly opcode?: number;
  /** Default true: the last fragment of its message. */
  readonly fin?: boolean;
}

/** The bytes of a client's frame, masked as the protocol wants it. */
export function clientFrame(payload: string | Buffer, { opcode = 1, fin = true }: FrameOptions = {}): Buffer {
  const data = Buffer.from(payload);
  const mask = randomBytes(4);
  const head = [(fin ? 0x80 : 0) | opcode];
  if (data.length < 126) head.push(0x80 | data.length);
  else if (data.length < 65_536) head.push(0x80 | 126, data.length >> 8, data.length & 0xff);
  else head.push(0x80 | 127, 0, 0, 0, 0, ...[24, 16, 8, 0].map((shift) => (data.length >>> shift) & 0xff));
  return Buffer.concat([Buffer.from(head), mask, data.map((byte, i) => byte ^ mask[i % 4]!)]);
}

/** A TCP connection that sends what no websocket client would. */
export class RawSocket {
  private received = Buffer.alloc(0);
  /** Resolves when the server has ended or reset the connection. */
  readonly closed: Promise<void>;

  private constructor(readonly socket: Socket) {
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => (this.received = Buffer.concat([this.received, chunk])));
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()));
  }

  static async open(url: string): Promise<RawSocket> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const raw = new RawSocket(socket);
    await once(socket, 'connect');
    return raw;
  }

  /** Opens a connection and turns it into a websocket. */
  static async upgrade(url: string, path: string, headers?: Record<string, string>): Promise<RawSocket> {
    const raw = await RawSocket.open(url);
    raw.write(upgradeRequest(path, headers));
    await raw.until((text) => text.includes('\r\n\r\n'));
    return raw;
  }

  get text(): string {
    return this.received.toString('latin1');
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Resolves when what came satisfies the condition, or the connection is closed. */
  async until(isEnough: (text: string) => boolean): Promise<void> {
    let check = () => {};
    const enough = new Promise<void>((resolve) => {
      check = () => void (isEnough(this.text) && resolve());
    });
    this.socket.on('data', check);
    check();
    await Promise.race([enough, this.closed]);
    this.socket.off('data', check);
  }

  /** Ends the connection with a TCP reset. */
  reset(): void {
    this.socket.resetAndDestroy();
  }
}
