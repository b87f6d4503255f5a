import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceProcess } from '@cxp/local-servers';
import { webchat } from '@cxp/services/service-under-test';
import { withStack, type BenchStack } from '../bench-stack';
import { inTurn, ratioOf } from '../in-turn';
import { PROBED, probe, type Probed } from '../probe';
import { reportProgress } from '../progress';
import { addWebchatOrganization, openSessions } from '../sessions/session-calls';
import { median, quantile } from '../statistics';
import { AcknowledgingReader } from './acknowledging-reader';
import { ChatSockets, type BenchSession } from './chat-sockets';

const SOCKETS = Number(process.env.SOCKETS ?? 5_000);
const ROUNDS = 5;
const SECONDS = Number(process.env.SECONDS ?? 4);
/** Messages under way when the most a server can do is measured. */
const CONCURRENCY = 64;
const MESSAGES_PER_SECOND = 1_000;
/** Each server has conversations of its own: the gateway delivers what another process stores in its conversations. */
const ORGANIZATIONS = { ours: 'gateway', theirs: 'bare' };

/** How long a process may take to come to rest before its memory is read, in milliseconds. */
const REST_MS = 2_000;

type Memory = Pick<Probed, 'used' | 'resident'>;

interface Measured {
  readonly sockets: ChatSockets;
  readonly before: Memory;
  readonly after: Memory;
}

/** 5,000 sockets of customers beside a bare ws server that stores the same. About four minutes. */
export function benchRealtime(): Promise<void> {
  return withStack([webchat], 4 + 2 * ROUNDS, compareSockets);
}

async function compareSockets(stack: BenchStack): Promise<void> {
  const env = {
    BENCH_ORGANIZATION: ORGANIZATIONS.theirs,
    WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000',
    ...PROBED,
  };
  reportProgress(`create ${SOCKETS} sessions for each`);
  // By another process, because the creation leaves memory behind that is not of sockets.
  const creator = await stack.startService(webchat);
  const sessionsOf = async (organizationId: string) => {
    const headers = await addWebchatOrganization(stack, organizationId);
    return openSessions(creator.url, organizationId, headers, SOCKETS);
  };
  const sessions = {
    ours: await sessionsOf(ORGANIZATIONS.ours),
    theirs: await sessionsOf(ORGANIZATIONS.theirs),
  };
  await creator.stop();
  const areaB = new AcknowledgingReader(stack.redis.url);
  const { service, bare } = await stack.startBoth(webchat, 'realtime/bare-server.ts', env);

  reportProgress(`open ${SOCKETS} sockets to each`);
  const ours = await openSockets('ours', service, sessions.ours);
  const theirs = await openSockets('bare', bare, sessions.theirs);
  const rate = async ({ sockets }: Measured) =>
    (await sockets.saturate(CONCURRENCY, SECONDS)).messagesPerSecond;
  const rates = await inTurn({ ours: () => rate(ours), theirs: () => rate(theirs) }, ROUNDS, (round) =>
    reportProgress(`message rate: ${round === 0 ? 'warm-up' : `round ${round} of ${ROUNDS}`}`),
  );
  // What was stored goes on to area B meanwhile, as what the bare server stores does.
  await sleep(REST_MS);
  const pace = ({ sockets }: Measured) => sockets.pace(MESSAGES_PER_SECOND, SECONDS);
  const times = await inTurn({ ours: () => pace(ours), theirs: () => pace(theirs) }, ROUNDS, (round) =>
    reportProgress(`${MESSAGES_PER_SECOND} messages/s to each: round ${round} of ${ROUNDS}`),
  );
  console.table({
    'webchat-gateway': summary(ours, rates.ours, times.ours.flat()),
    'bare ws': summary(theirs, rates.theirs, times.theirs.flat()),
  });
  console.log(`message rate, ratio: ${ratioOf(rates.ours, rates.theirs)}`);
  for (const { sockets } of [ours, theirs]) sockets.close();
  await areaB.stop();
}

function summary({ before, after }: Measured, rates: readonly number[], latencies: readonly number[]) {
  const percentile = (share: number) => quantile(latencies, share).toFixed(1);
  const perSocket = (kind: keyof Memory) => ((after[kind] - before[kind]) / SOCKETS / 1_024).toFixed(1);
  return {
    'kB used a socket': perSocket('used'),
    'kB resident a socket': perSocket('resident'),
    'MB resident': (after.resident / 1_024 / 1_024).toFixed(0),
    'messages/s': Math.round(median(rates)),
    [`p50 ms at ${MESSAGES_PER_SECOND}/s`]: percentile(0.5),
    [`p99 ms at ${MESSAGES_PER_SECOND}/s`]: percentile(0.99),
  };
}

async function openSockets(
  name: string,
  server: ServiceProcess,
  sessions: readonly BenchSession[],
): Promise<Measured> {
  const url = server.url.replace('http', 'ws');
  // What the first sockets bring with them (code, pools) is not theirs.
  const first = await ChatSockets.open(name, url, sessions.slice(0, 100));
  first.close();
  const before = await memoryAtRest(server);
  const sockets = await ChatSockets.open(name, url, sessions);
  return { sockets, before, after: await memoryAtRest(server) };
}

async function memoryAtRest(server: ServiceProcess): Promise<Memory> {
  await sleep(REST_MS);
  return probe(server);
}
