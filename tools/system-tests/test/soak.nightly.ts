import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { WebSocket } from 'ws';
import { imageEnvironment } from '@cxp/testing/local-servers';
import { HostileConnections } from './hostile-connections';
import { eventually } from '@cxp/service-kit/testing';
import { useBuiltService, type BuiltService } from '../src/tenants';
import { metricOf, send } from '../src/http';
import { routeName, soundRequest, KNOWN_ROUTES } from '../src/known-routes';
import { SERVICES, webchat } from '../src/service-under-test';

/** `SOAK_SECONDS=3600` is the hour before a release. */
const SECONDS = Number(process.env.SOAK_SECONDS ?? 120);
const PAUSE_MS = 20;
/** On a busy machine, and beside hostile clients, some calls are answered 503. */
const MAX_FAILED = 0.05;
const MB = 1_024 * 1_024;

/** Of /metrics, and how much more of it there may be at the end than in the second quarter of the time. */
const MAX_GROWTH = {
  nodejs_heap_size_used_bytes: 8 * MB,
  process_resident_memory_bytes: 32 * MB,
  process_open_fds: 10,
};
type Figure = keyof typeof MAX_GROWTH;

const running = SERVICES.map((service) => ({
  service,
  routes: KNOWN_ROUTES.filter((route) => route.service === service),
  used: useBuiltService(service, () => ({ ...imageEnvironment(), LOG_LEVEL: 'fatal' })),
}));

it(
  `for ${SECONDS} seconds of all calls beside hostile clients: calls succeed, and nothing grows`,
  async () => {
    const endsAt = Date.now() + SECONDS * 1_000;
    const counts = new Map<string, { succeeded: number; failed: Record<string, number> }>();
    const count = async (name: string, isSuccess: () => Promise<boolean | string>) => {
      const { failed, ...of } = counts.get(name) ?? { succeeded: 0, failed: {} };
      const outcome = await isSuccess().catch(String);
      if (outcome === true) of.succeeded += 1;
      else failed[String(outcome)] = (failed[String(outcome)] ?? 0) + 1;
      counts.set(name, { ...of, failed });
    };
    const samples = new Map(running.map(({ service }) => [service.name, [] as Record<Figure, number>[]]));
    const hostile = running.map(({ routes, used }) => {
      const route = routes.find(({ path }) => path.startsWith('/external'))!;
      return new HostileConnections(used.built.url, soundRequest(route, used.other));
    });
    await Promise.all(
      running.map(async ({ service, routes, used }) => {
        while (Date.now() < endsAt) {
          for (const route of routes) {
            await count(routeName(route), async () => {
              const { status, text } = await send(used.built.url, soundRequest(route, used.tenant));
              return status === route.success || `${status} ${text.slice(0, 200)}`;
            });
            await sleep(PAUSE_MS);
          }
          if (service === webchat) await count('a chat', () => chat(used));
          samples.get(service.name)!.push(await figuresOf(used.built.url));
        }
      }),
    );
    for (const each of hostile) each.stop();

    for (const [name, { succeeded, failed }] of counts) {
      const failures = Object.values(failed).reduce((sum, some) => sum + some, 0);
      expect({ name, failed, isWell: succeeded > 0 && failures <= MAX_FAILED * succeeded }).toEqual({
        ...{ name, failed },
        isWell: true,
      });
    }
    for (const [name, all] of samples) {
      for (const [figure, most] of Object.entries(MAX_GROWTH)) {
        // What is under way at one moment only adds to what is kept.
        const least = (from: number, to: number) =>
          Math.min(
            ...all.slice(from * all.length, Math.ceil(to * all.length)).map((one) => one[figure as Figure]),
          );
        const [before, after] = [least(0.25, 0.5), least(0.75, 1)];
        console.log(`${name}: ${figure}: ${before}, at the end ${after}`);
        expect({ name, figure, after: Math.max(after, before + most) }).toEqual({
          ...{ name, figure },
          after: before + most,
        });
      }
    }
  },
  SECONDS * 1_300 + 120_000,
);

it('leaves no work, and no key in Redis that does not expire', async () => {
  for (const { used } of running) {
    const redis = new Redis(used.inProcess.environment.REDIS_URL!);
    const lasting: string[] = [];
    for (const key of await redis.keys('*')) if ((await redis.ttl(key)) === -1) lasting.push(key);
    redis.disconnect();
    expect(lasting).toEqual([]);
  }
  const { dataSource } = running.find(({ service }) => service === webchat)!.used.inProcess;
  await eventually(
    async () => (await dataSource.query('SELECT FROM webchat.undelivered LIMIT 1')).length === 0,
  );
});

async function figuresOf(url: string): Promise<Record<Figure, number>> {
  const figures = Object.keys(MAX_GROWTH).map(async (name) => [name, await metricOf(url, name)] as const);
  return Object.fromEntries(await Promise.all(figures)) as Record<Figure, number>;
}

/** A customer connects, writes, and sees the message come back. */
async function chat({ built, tenant }: BuiltService): Promise<boolean> {
  const { sessionId, sessionToken } = tenant;
  const socket = new WebSocket(`${built.url.replace('http', 'ws')}/sessions/${sessionId}`, {
    headers: { authorization: `Bearer ${sessionToken}` },
  });
  const clientId = `soak ${performance.now()}`;
  const returned = new Promise<boolean>((resolve, reject) => {
    socket.on('error', reject).on('close', () => resolve(false));
    socket.on('message', (data: Buffer) => data.includes(clientId) && resolve(true));
    setTimeout(resolve, 10_000, false).unref();
  });
  socket.once('open', () => socket.send(JSON.stringify({ type: 'message.send', clientId, text: 'Hello' })));
  const isReturned = await returned;
  socket.terminate();
  return isReturned;
}
