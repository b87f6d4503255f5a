import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import {
  imageEnvironment,
  type ServiceProcess,
  startService,
  workspaceRoot,
} from '@cxp/testing/local-servers';
import { type HttpAnswer, send } from '@cxp/system-tests/http';
import {
  ENDPOINT_ID,
  ERASURE_ID,
  type CallRequest,
  type PricedCall,
  pricedCalls,
  type StoredIds,
} from './largest-calls';
import { CAMPAIGN_ID, largestRecords } from './largest-records';
import type { Area } from './rows';
import { built, megabytesOf, SERVICES, startStores } from './services';
import { type Load, type Session, SOCKET_LOADS, type SocketLoad } from './socket-loads';

const KEPT = new http.Agent({ keepAlive: true });

/** Calls, one after the other. */
const ALONE = 3;
/** Of which each begins with as many calls at once as are allowed in one. */
const SECONDS = 2;
/** Calls under way of another organization, which show what is left for it. */
const OTHERS = 4;
const OTHER_MS = 1_000;

export interface Price {
  readonly area: Area;
  readonly name: string;
  /** Processor time of one, in milliseconds of a machine that is as fast as usual. */
  readonly processorMs: number;
  /** How long the event loop is held at most, in such milliseconds of processor time. */
  readonly holdMs: number;
  /** By how much the process grew at most, in MiB. */
  readonly megabytes: number;
  /** How many one organization, session or address may send in a second; none: only the platform calls it. */
  readonly perSecond: number | undefined;
  /** Of one core, when all of these are sent and nobody else calls. */
  readonly share: number | undefined;
  /** The share of its light calls that another organization gets answered meanwhile. */
  readonly left: number | undefined;
}

/** Milliseconds that the control takes on the machine of docker/growing.md. */
const USUAL_CONTROL_MS = 57;

interface PricedServices {
  readonly processes: Readonly<Record<Area, ServiceProcess>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly otherHeaders: Readonly<Record<string, string>>;
  readonly ids: StoredIds;
  readonly redis: Redis;
  /** The folder where they write how long they were held. */
  readonly holds: string;
}

/** @param pattern of the names of what is measured */
export async function measurePrices(pattern: RegExp, tell: (price: Price) => void): Promise<Price[]> {
  const stops: (() => Promise<unknown>)[] = [];
  const prices: Price[] = [];
  try {
    const services = await start(stops);
    for (const call of pricedCalls(services.ids)) {
      if (!pattern.test(nameOf(call))) continue;
      prices.push(await priceOf(services, call));
      tell(prices.at(-1)!);
    }
    for (const [name, load] of Object.entries(SOCKET_LOADS)) {
      if (!pattern.test(name)) continue;
      prices.push(await priceOnSockets(services, name, load));
      tell(prices.at(-1)!);
    }
    return prices;
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}

export function nameOf({ route, what }: Pick<PricedCall, 'route' | 'what'>): string {
  return what ? `${route}, ${what}` : route;
}

export function lineOf({
  area,
  name,
  processorMs,
  holdMs,
  megabytes,
  perSecond,
  share,
  left,
}: Price): string {
  const cells = [
    SERVICES[area].name,
    name,
    processorMs < 10 ? processorMs.toFixed(1) : processorMs.toFixed(0),
    holdMs.toFixed(0),
    megabytes.toFixed(0),
    perSecond?.toLocaleString('en') ?? '',
    percent(share),
    percent(left),
  ];
  return `| ${cells.join(' | ')} |`;
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(0)} %`;
}

export const HEAD = `| area | call | processor, ms | longest hold, ms | memory, MiB | a second | share of a core | left to another |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |`;

async function priceOf(services: PricedServices, priced: PricedCall): Promise<Price> {
  const { area, route, status = 200, isPlatform } = priced;
  const [method] = route.split(' ');
  const next = () => ({ method: /^[A-Z]+$/.test(method!) ? method : 'GET', ...priced.request() });
  const call = async () => {
    const answer = await ask(services, area, next());
    if (answer.status !== status) {
      console.error(`${nameOf(priced)}: ${answer.status} ${answer.text?.slice(0, 300)}`);
    }
    return answer;
  };
  const { headers } = await call();
  const perSecond = isPlatform
    ? undefined
    : (priced.perSecond ?? Number(/(\d+);w=1\b/.exec(String(headers?.['ratelimit-policy']))?.[1]));
  return watched(services, area, nameOf(priced), perSecond, {
    alone: async () => {
      for (let n = 0; n < ALONE; n++) await call();
      return ALONE;
    },
    // What waits for others is refused: that is a limit, too.
    inSecond: (allowed) =>
      Promise.all(Array.from({ length: allowed }, () => readAll(services, area, next()))),
  });
}

async function priceOnSockets(
  services: PricedServices,
  name: string,
  { perSecond, begin }: SocketLoad,
): Promise<Price> {
  const { ids, processes } = services;
  const stops: (() => void)[] = [];
  const load = await begin({
    url: processes.webchat.url,
    longest: ids,
    newSession: () => newSession(services),
    stops,
  });
  const price = await watched(services, 'webchat', name, perSecond, load);
  for (const stop of stops) stop();
  return price;
}

async function watched(
  services: PricedServices,
  area: Area,
  name: string,
  perSecond: number | undefined,
  { alone, inSecond }: Load,
): Promise<Price> {
  const { redis } = services;
  const pid = await services.processes[area].pid;
  const controlBefore = controlMs();
  await forgetRates(redis);
  await longestHold(services, pid);
  await writeFile(`/proc/${pid}/clear_refs`, '5'); // The peak begins anew.
  const sizeBefore = await megabytesOf(pid, 'VmRSS');
  const before = await processorMs(pid);
  const calls = await alone();
  const ofOne = ((await processorMs(pid)) - before) / calls;
  /** Sends what is allowed in some seconds. */
  const sendAll = async (allowed: number) => {
    await forgetRates(redis);
    const answers: Promise<unknown>[] = [];
    for (let second = 0; second < SECONDS; second++) {
      answers.push(inSecond(allowed));
      await sleep(1_000);
    }
    await Promise.all(answers);
  };
  let share: number | undefined;
  let left: number | undefined;
  if (perSecond !== undefined) {
    const [startedAt, spent] = [performance.now(), await processorMs(pid)];
    await sendAll(perSecond);
    share = ((await processorMs(pid)) - spent) / (performance.now() - startedAt);
    const usual = await answeredToOther(services, area);
    const sending = sendAll(perSecond);
    left = (await answeredToOther(services, area)) / usual;
    await sending;
  }
  const holdMs = await longestHold(services, pid);
  const megabytes = (await megabytesOf(pid, 'VmHWM')) - sizeBefore;
  const slowness = (controlBefore + controlMs()) / 2 / USUAL_CONTROL_MS;
  return {
    ...{ area, name, megabytes, perSecond, share, left },
    processorMs: ofOne / slowness,
    holdMs: holdMs / slowness,
  };
}

/** The neighbours of a virtual machine take its memory's bandwidth: the same work may take twice the processor time a minute later. */
function controlMs(): number {
  const rows = Array.from({ length: 50 }, (_, n) => ({ [`k${n}`]: 'x'.repeat(40), n }));
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now();
    for (let n = 0; n < 2_000; n++) JSON.parse(JSON.stringify(rows));
    return performance.now() - startedAt;
  });
  return times.toSorted((one, other) => one - other)[2]!;
}

/** @returns how many light calls of another organization are answered while some are under way */
async function answeredToOther(services: PricedServices, area: Area): Promise<number> {
  const call = { method: 'GET', path: `/external/erasures/${ERASURE_ID}`, headers: services.otherHeaders };
  const endsAt = performance.now() + OTHER_MS;
  let answered = 0;
  const work = async () => {
    while (performance.now() < endsAt) {
      const { status } = await ask(services, area, { ...call, isPublic: true });
      if (status === 429 || status === 404) answered += 1;
    }
  };
  await Promise.all(Array.from({ length: OTHERS }, work));
  return answered;
}

/** Since it was asked last. */
async function longestHold({ holds }: PricedServices, pid: number): Promise<number> {
  const file = join(holds, String(pid));
  await rm(file, { force: true });
  process.kill(pid, 'SIGUSR2');
  for (;;) {
    const text = await readFile(file, 'utf8').catch(() => '');
    if (text) return Number(text);
    await sleep(5);
  }
}

/** Of all threads since the process began. */
async function processorMs(pid: number): Promise<number> {
  let nanoseconds = 0;
  for (const thread of await readdir(`/proc/${pid}/task`)) {
    const statistics = await readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0');
    nanoseconds += Number(statistics.split(' ')[0]);
  }
  return nanoseconds / 1e6;
}

async function forgetRates(redis: Redis): Promise<void> {
  const keys = await redis.keys('rate-limit:*');
  if (keys.length > 0) await redis.del(keys);
}

/** An answer that takes longer than a client waits has no status. */
async function ask(
  { processes, headers }: PricedServices,
  area: Area,
  { method = 'POST', path, body, headers: own, isPublic }: CallRequest,
): Promise<Partial<HttpAnswer>> {
  const request = { method, path, body, headers: { ...(!isPublic && headers), ...own } };
  return send(processes[area].url, request).catch((error: unknown) => ({ text: String(error) }));
}

/** Keeps and parses nothing: that would take the time in which the other organization calls. */
function readAll(
  { processes, headers }: PricedServices,
  area: Area,
  { method = 'POST', path, body, headers: own, isPublic }: CallRequest,
): Promise<void> {
  return new Promise((resolve) => {
    const options = { method, agent: KEPT, headers: { ...(!isPublic && headers), ...own } };
    http
      .request(new URL(path, processes[area].url), options, (answer) => answer.resume().on('close', resolve))
      .on('error', () => resolve())
      .end(body);
  });
}

/** Starts the services as their images run them, with the limits that they have by default, over the largest data. */
async function start(stops: (() => Promise<unknown>)[]): Promise<PricedServices> {
  await built(workspaceRoot);
  const { environment: stores, callerOf } = await startStores(workspaceRoot, stops);
  const holds = await mkdtemp(join(tmpdir(), 'cxp-holds-'));
  stops.push(() => rm(holds, { recursive: true }));
  const { NODE_OPTIONS, ...image } = imageEnvironment();
  const watching = `${NODE_OPTIONS} --require ${join(__dirname, 'longest-hold.js')}`;
  const redis = new Redis(stores.REDIS_URL);
  stops.push(() => redis.quit());
  const started: Partial<Record<Area, ServiceProcess>> = {};
  for (const area of ['contactCenter', 'survey', 'webchat'] as const) {
    const { name, portVariable, settings } = SERVICES[area];
    const byDefault = Object.entries(settings).filter(([setting]) => !setting.endsWith('_LIMIT'));
    started[area] = await startService({
      ...{ entry: `dist/apps/${name}/main.js`, portVariable },
      env: {
        ...image,
        NODE_OPTIONS: watching,
        HOLD_FOLDER: holds,
        ...Object.fromEntries(byDefault),
        ...stores,
        LISTEN_HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
      },
    });
    stops.push(() => started[area]!.stop());
  }
  const processes = started as Record<Area, ServiceProcess>;
  const [headers, otherHeaders] = [await callerOf('bench'), await callerOf('other')];
  const services = { processes, headers, otherHeaders, redis, holds, ids: {} as StoredIds };
  return { ...services, ids: await store(services) };
}

/** Stores what the calls ask for. */
async function store(services: PricedServices): Promise<StoredIds> {
  const put = async (area: Area, path: string, body: object, how?: object) => {
    await forgetRates(services.redis);
    const request = {
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...how,
    };
    const answer = await ask(services, area, request);
    if (!answer.status || answer.status >= 300)
      throw new Error(`${path}: ${answer.status} ${answer.text?.slice(0, 500)}`);
    return answer.body as Record<string, string>;
  };
  for (const area of ['webchat', 'contactCenter', 'survey'] as const) {
    for (const records of largestRecords(area)) {
      const body = records.map((record) => JSON.stringify(record)).join('\n');
      await put(area, '/internal/records', {}, { body, headers: { 'content-type': 'application/x-ndjson' } });
    }
  }
  const opened = await put('webchat', '/external/sessions', session());
  for (let n = 0; n < 100; n++) {
    const message = { id: `${n}`, senderType: 'agent', text: 'ế'.repeat(4_000) };
    await put('webchat', `/internal/conversations/${opened.conversationId!}/messages`, message);
  }
  const link = await put('survey', `/external/survey-campaigns/${CAMPAIGN_ID}/links`, { name: 'largest' });
  for (const area of ['webchat', 'contactCenter', 'survey'] as const) {
    await put(area, '/external/erasures', { id: ERASURE_ID, subject: { emails: ['nobody@example.com'] } });
    if (area === 'webchat') continue;
    const endpoint = { url: 'https://127.0.0.1:1/hints', description: 'priced' };
    await put(area, `/external/webhook-endpoints/${ENDPOINT_ID}`, endpoint, { method: 'PUT' });
  }
  const { conversationId, sessionId, sessionToken } = opened;
  return {
    conversationId: conversationId!,
    sessionId: sessionId!,
    sessionToken: sessionToken!,
    publicId: link.public_id!,
  };
}

/** A call that is refused while the machine is busy is made again. */
async function newSession(services: PricedServices): Promise<Session> {
  const body = JSON.stringify(session());
  const headers = { 'content-type': 'application/json' };
  for (;;) {
    await forgetRates(services.redis);
    const answer = await ask(services, 'webchat', { path: '/external/sessions', headers, body });
    if (answer.status === 201) return answer.body as Session;
  }
}

function session(): object {
  return { organizationId: 'bench', installedSourceId: 1, user: { id: randomUUID() } };
}
