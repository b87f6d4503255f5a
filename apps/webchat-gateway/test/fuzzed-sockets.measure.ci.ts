import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { eventually } from '@cxp/service-kit/testing';
import { runs, seed, seededRandom } from '@cxp/testing';
import { imageEnvironment } from '@cxp/testing/local-servers';
import { connect, server, session, useProcess } from './conversation-service';
import { clientFrame, RawSocket, upgradeRequest } from './raw-socket';
import { metric } from './webchat-service';

/** Hostile frames over all connections, in each round. */
const FRAMES = 6_500;
const LEAST_ROUNDS = runs(2);
/** What is left of a frame grows with each round; what garbage takes until it is collected does not. One of some rounds has to add little. */
const MOST_ROUNDS = LEAST_ROUNDS + 4;
const LITTLE_BYTES = 8 * 1_024 * 1_024;
const CONNECTIONS_AT_ONCE = 20;
const FRAMES_PER_CONNECTION = 5;

// As the image starts it: left to itself, Node.js collects garbage when the machine's memory is short, not when ours is.
useProcess({ ...imageEnvironment(), WEBCHAT_SOCKETS_PER_SESSION: '1000' });

const TYPES = ['authenticate', 'message.send', 'typing', 'read', 'rating.submit', 'message', 'x'];

/** What looks like a frame, and nests, repeats and mixes what it may. */
const json = fc.oneof(
  fc
    .record({ type: fc.constantFrom(...TYPES), x: fc.jsonValue() }, { requiredKeys: [] })
    .map((value) => JSON.stringify(value)),
  fc
    .record({
      type: fc.constantFrom(...TYPES),
      depth: fc.integer({ min: 1, max: 15_000 }),
      open: fc.constantFrom('[', '{"a":'),
    })
    .map(({ type, depth, open }) => `{"type":"${type}","active":true,"x":${open.repeat(depth)}`),
  fc
    .integer({ min: 1, max: 15_000 })
    .map((depth) => `{"type":"typing","active":true,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  fc
    .record({
      type: fc.constantFrom(...TYPES),
      clientId: fc.oneof(fc.string(), fc.constant('\0'), fc.constant('\ud83d')),
      text: fc.string({ unit: 'binary' }),
      sessionToken: fc.oneof(fc.string(), fc.constant('eyJhbGciOiJub25lIn0.e30.')),
      active: fc.oneof(fc.boolean(), fc.string()),
      upTo: fc.oneof(fc.integer(), fc.double()),
      rating: fc.oneof(fc.integer(), fc.constant(null)),
    })
    .map((value) => JSON.stringify(value)),
  fc.json(),
  fc.string(),
);

const payload = fc.oneof(
  { weight: 4, arbitrary: json.map((text) => Buffer.from(text)) },
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.integer({ min: 0, max: 70_000 }).map((length) => Buffer.alloc(length, 'x')),
);

/** The bytes of a frame: text, binary, continuations, control frames and unknown ones, complete or in fragments. */
const frame = fc
  .record({
    payload,
    opcode: fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, fc.nat(15)),
    fin: fc.integer({ min: 0, max: 4 }).map((n) => n > 0),
  })
  .map(({ payload, ...options }) => clientFrame(payload, options));

/** Drawn once: building them costs more than sending them. */
const POOL = fc.sample(frame, { numRuns: 300, seed });

const random = seededRandom('attacks');

interface Attack {
  readonly credential: keyof typeof TOKENS;
  readonly path: string;
  /** Whether the upgrade request is cut, and nothing comes after it. */
  readonly isCut: boolean;
  readonly ending: (typeof ENDINGS)[number];
}

const ENDINGS = ['reset', 'end', 'close frame', 'wait'] as const;

function pick<Value>(values: readonly Value[]): Value {
  return values[Math.floor(random() * values.length)]!;
}

/** The first bytes of a message, as many as happen to be sent. */
function cut<Bytes extends string | Buffer>(bytes: Bytes): Bytes {
  return bytes.slice(0, Math.ceil(random() * bytes.length)) as Bytes;
}

const TOKENS = { none: () => ({}), valid: () => bearer(session.sessionToken), wrong: () => bearer('x') };
const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** @returns the frames that were sent, the last one perhaps cut */
async function commit({ credential, path, isCut, ending }: Attack): Promise<number> {
  const raw = await RawSocket.open(server.url);
  const upgrade = upgradeRequest(path, TOKENS[credential]());
  raw.write(isCut ? cut(upgrade) : upgrade);
  if (!isCut) {
    if (ending !== 'reset') await raw.until((text) => text.includes('\r\n\r\n'));
    for (let i = 1; i < FRAMES_PER_CONNECTION; i++) raw.write(pick(POOL));
    raw.write(cut(pick(POOL)));
  }
  if (ending === 'close frame') raw.write(clientFrame('', { opcode: 8 }));
  if (ending === 'wait') await Promise.race([raw.closed, sleep(20)]);
  // A connection that was ended can't be reset: Node.js would keep its handle.
  if (ending === 'end') raw.socket.destroySoon();
  else raw.reset();
  return isCut ? 0 : FRAMES_PER_CONNECTION;
}

async function attackOften(frames: number): Promise<void> {
  const { pathname: path } = new URL(session.websocketUrl);
  const paths = [path, path, path, `${path}?lastEvent=0`, '/', '/sessions', '/external/sessions'];
  for (let sent = 0; sent < frames;) {
    const attacks = Array.from({ length: CONNECTIONS_AT_ONCE }, () => ({
      credential: pick(['none', 'valid', 'wrong'] as const),
      path: pick(paths),
      isCut: random() < 0.2,
      ending: pick(ENDINGS),
    }));
    for (const count of await Promise.all(attacks.map(commit))) sent += count;
  }
}

it(
  'hostile sockets end no process, cost no memory, and nobody else loses a message',
  async () => {
    const witness = await connect(server, session);
    await attackOften(500);
    const startedAt = await metric(server, 'process_start_time_seconds');
    const residentBytes = () => metric(server, 'process_resident_memory_bytes');
    const memory = [await residentBytes()];
    let least = Infinity;
    while (memory.length <= LEAST_ROUNDS || (least > LITTLE_BYTES && memory.length <= MOST_ROUNDS)) {
      await attackOften(FRAMES);
      memory.push(await residentBytes());
      least = Math.min(least, memory.at(-1)! - memory.at(-2)!);
    }
    witness.sendMessage('still-here');
    expect(await witness.next('message.accepted')).toMatchObject({ clientId: 'still-here' });
    await eventually(() =>
      witness.received('message').some(({ message }) => message.clientId === 'still-here'),
    );
    expect(witness.events.map(({ event }) => event)).toEqual(witness.events.map((_, i) => i + 1));
    expect(await metric(server, 'process_start_time_seconds')).toBe(startedAt);
    expect(least).toBeLessThanOrEqual(LITTLE_BYTES);
    await witness.close();
  },
  MOST_ROUNDS * FRAMES * 20,
);
