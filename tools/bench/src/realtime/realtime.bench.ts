import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { buildProject } from '@cxp/build';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { startPostgres, startRedis, startService, type ServiceProcess } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { imageEnvironment } from '../image-environment';
import { median } from '../statistics';
import { ChatSockets, type BenchSession } from './chat-sockets';

const SOCKETS = 5_000;
const ROUNDS = 5;
const SECONDS = 4;
/** Messages under way when the most a server can do is measured. */
const CONCURRENCY = 64;
const MESSAGES_PER_SECOND = 1_000;
const ORGANIZATION = 'bench';

/** Sessions that are created at the same time. */
const CREATING = 32;

/** How long a process may take to come to rest before its memory is read, in milliseconds. */
const REST_MS = 2_000;
const TELL_MEMORY = join(__dirname, 'tell-memory.js');

/** What a process uses, in bytes, after its garbage is collected: its objects, and all that it has resident. */
interface Memory {
  readonly used: number;
  readonly resident: number;
}

interface Measured {
  readonly sockets: ChatSockets;
  readonly before: Memory;
  readonly after: Memory;
}

/** 5,000 sockets of customers beside a bare ws server that stores the same. */
export async function benchRealtime(): Promise<void> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  await buildProject('apps/webchat-gateway');
  for (const area of [accessDatabase, webchatDatabase]) await migrate(area, postgres.url);
  const env = {
    ...imageEnvironment(),
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'warn',
    WEBCHAT_WEBSOCKET_URL: 'wss://bench/sessions',
    WEBCHAT_SESSION_TOKEN_KEYS: 'bench:0123456789abcdef0123456789abcdef',
    WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000',
    EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '1000000',
    EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '1000000',
    BENCH_ORGANIZATION: ORGANIZATION,
    NODE_OPTIONS: `${imageEnvironment().NODE_OPTIONS} -r ${TELL_MEMORY}`,
  };
  const portVariable = 'WEBCHAT_PORT';
  const gateway = { entry: 'dist/apps/webchat-gateway/main.js', env, portVariable };
  // By another process: what creating them leaves in memory is no socket's.
  const creator = await startService(gateway);
  const sessions = await createSessions(creator, await prepareOrganization(postgres.url));
  await creator.stop();
  const service = await startService(gateway);
  const bare = await startService({ ...gateway, entry: 'tools/bench/src/realtime/bare-server.ts' });

  const ours = await openSockets('ours', service, sessions);
  const theirs = await openSockets('bare', bare, sessions);
  const rates: Record<'ours' | 'theirs', number[]> = { ours: [], theirs: [] };
  for (let round = 0; round <= ROUNDS; round++) {
    const [a, b] = [
      await ours.sockets.saturate(CONCURRENCY, SECONDS),
      await theirs.sockets.saturate(CONCURRENCY, SECONDS),
    ];
    if (round === 0) continue; // warm-up
    rates.ours.push(a);
    rates.theirs.push(b);
  }
  const ratios = rates.ours.map((rate, i) => rate / rates.theirs[i]!);
  console.table({
    'webchat-gateway': await summary(ours, rates.ours),
    'bare ws': await summary(theirs, rates.theirs),
  });
  console.log(
    `message rate, ratio: ${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
  );
  for (const { sockets } of [ours, theirs]) sockets.close();
  await Promise.all([service.stop(), bare.stop()]);
  await Promise.all([postgres.stop(), redis.stop()]);
}

async function summary({ sockets, before, after }: Measured, rates: readonly number[]) {
  const latencies = (await sockets.pace(MESSAGES_PER_SECOND, SECONDS)).sort((a, b) => a - b);
  const percentile = (share: number) => latencies[Math.floor(latencies.length * share)]!.toFixed(1);
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
  server.signal('SIGUSR2');
  await sleep(REST_MS);
  const told = /.*^MEMORY (.*)$/ms.exec(server.output())![1]!;
  const { heapUsed, external, rss } = JSON.parse(told) as NodeJS.MemoryUsage;
  return { used: heapUsed + external, resident: rss };
}

async function prepareOrganization(databaseUrl: string): Promise<Caller> {
  const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  const caller = await issueTestToken(dataSource, { organizationId: ORGANIZATION });
  await dataSource.query(`INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`, [
    ORGANIZATION,
  ]);
  await dataSource.destroy();
  return caller;
}

async function createSessions(service: ServiceProcess, { headers }: Caller): Promise<BenchSession[]> {
  const sessions: BenchSession[] = [];
  const create = async () => {
    const body = { organizationId: ORGANIZATION, installedSourceId: 1 };
    const response = await fetch(`${service.url}/external/sessions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    sessions.push((await response.json()) as BenchSession);
  };
  while (sessions.length < SOCKETS) await Promise.all(Array.from({ length: CREATING }, create));
  return sessions.slice(0, SOCKETS);
}
