import { imageEnvironment } from '@cxp/local-servers';
import { connect } from 'node:net';
import { eventually } from '@cxp/service-kit/testing';
import { useBuiltService } from '../src/built-service';
import { send } from '../src/http';
import { type KnownRoute, soundRequest } from '../src/known-route';
import { KNOWN_ROUTES } from '../src/known-routes';
import { SERVICES } from '../src/service-under-test';

const CUTS_PER_ROUTE = 40;
const AT_ONCE = 20;
/** What is left of a request grows with each round; what garbage takes until it is collected does not. One of some rounds has to add little. */
const ROUNDS = 5;
const LITTLE_BYTES_PER_ROUTE = 1_024 * 1_024;

/** Where in a connection a client resets it. */
interface Interruption {
  /** How much of the last request is sent. */
  readonly bytes: number;
  /** Whole requests that are sent before it, without waiting for their answers. */
  readonly before: number;
  /** Whether the answer has begun to come. */
  readonly isAnswered: boolean;
}

describe.each(SERVICES)('$name', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  // As the image starts it: left to itself, Node.js collects garbage when the machine's memory is short, not when ours is.
  const running = useBuiltService(service, imageEnvironment);

  /** A sound call, as it goes over the wire. */
  function bytesOf(route: KnownRoute): Buffer {
    const sound = soundRequest(route, running.tenant);
    const { method, path, headers, body = '' } = sound;
    const lines = Object.entries({ ...headers, host: 'test', 'content-length': Buffer.byteLength(body) });
    const head = `${method} ${path} HTTP/1.1\r\n${lines.map((line) => `${line.join(': ')}\r\n`).join('')}\r\n`;
    return Buffer.concat([Buffer.from(head), Buffer.from(body)]);
  }

  async function interrupt(request: Buffer, { bytes, before, isAnswered }: Interruption): Promise<void> {
    const { hostname, port } = new URL(running.built.url);
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    const sent = Buffer.concat([...Array<Buffer>(before).fill(request), request.subarray(0, bytes)]);
    if (isAnswered) {
      socket.once('data', () => socket.resetAndDestroy());
      socket.write(sent);
    } else {
      socket.write(sent, () => socket.resetAndDestroy());
    }
    await closed;
  }

  /** Every route: in its request line, its headers, its body, behind its end, and in its answer. */
  async function interruptAll(): Promise<void> {
    for (const route of routes) {
      const request = bytesOf(route);
      const interruptions = Array.from({ length: CUTS_PER_ROUTE }, (_, i) => {
        const isAnswered = i % 5 === 4;
        const bytes = isAnswered ? request.length : Math.ceil(((i + 1) * request.length) / CUTS_PER_ROUTE);
        return { bytes, before: i % 4, isAnswered };
      });
      for (let start = 0; start < CUTS_PER_ROUTE; start += AT_ONCE) {
        const some = interruptions.slice(start, start + AT_ONCE);
        await Promise.all(some.map((interruption) => interrupt(request, interruption)));
      }
    }
  }

  async function metric(name: string): Promise<number> {
    const { text } = await send(running.built.url, { method: 'GET', path: '/metrics' });
    const line = text.split('\n').find((each) => each.startsWith(name));
    return Number(line?.split(' ').at(-1));
  }

  /** Some are of no request: the reader of a stream, for instance, keeps one open. */
  async function openTransactions(): Promise<number> {
    const rows: unknown[] = await running.inProcess.dataSource.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL`,
    );
    return rows.length;
  }

  it('outlives resets at every stage of a request, holds nothing afterwards, and keeps its memory', async () => {
    const backgroundTransactions = await openTransactions();
    const little = LITTLE_BYTES_PER_ROUTE * routes.length;
    const startedAt = await metric('process_start_time_seconds');
    const memoryAfterRound = async () => {
      await interruptAll();
      await eventually(async () => (await metric('postgres_pool_waiting')) === 0);
      await eventually(async () => (await openTransactions()) <= backgroundTransactions);
      return metric('process_resident_memory_bytes');
    };
    const memory = [await memoryAfterRound()];
    const growth: number[] = [];
    do {
      memory.push(await memoryAfterRound());
      growth.push(memory.at(-1)! - memory.at(-2)!);
    } while (growth.at(-1)! > little && growth.length < ROUNDS);
    expect(Math.min(...growth)).toBeLessThanOrEqual(little);
    expect(await metric('process_start_time_seconds')).toBe(startedAt);
    expect(running.built.output()).not.toContain('"level":"error"');
    for (const route of routes) {
      const answer = await send(running.built.url, soundRequest(route, running.tenant));
      expect({ path: route.path, status: answer.status }).toEqual({
        path: route.path,
        status: route.success,
      });
    }
  }, 600_000);
});
