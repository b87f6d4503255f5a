import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, needs } from '@cxp/testing';
import { send } from '../src/http';
import { soundRequest } from '../src/known-route';
import { nginxProgram, useEdge } from '../src/edge';
import { HostileConnections, IN_WORK } from './hostile-connections';
import { callWithoutPause } from './latency';

const { describe, it } = needs('nginx', nginxProgram);

const PHASE_MS = 5_000;
const MAX_GROWTH_BYTES = 64 * 1_024 * 1_024;
const MEASUREMENTS = 3;

describe('behind docker/nginx.conf', () => {
  const { running, urlOf } = useEdge();

  const metric = async (url: string, name: string): Promise<number> => {
    const { text } = await send(url, { method: 'GET', path: '/metrics' });
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)![1]);
  };

  it.each(running)('nothing but its public paths is reached: $service.name', async ({ service, used }) => {
    const url = urlOf(service.name);
    for (const path of ['/internal/records', '/metrics', '/health/ready']) {
      expect((await send(url, { method: 'GET', path })).status).toBe(404);
    }
    const documents = ['/', '/docs', '/docs/openapi.json', '/llms.txt'];
    const answers = documents.map(async (path) => (await send(url, { method: 'GET', path })).status);
    expect(await Promise.all(answers)).toEqual([302, 200, 200, 200]);
    const headers = { ...used.tenant.caller.headers, 'content-type': 'application/json' };
    const large = await send(url, {
      method: 'POST',
      path: '/external/sessions',
      headers,
      body: Buffer.alloc(17 * 1_024 * 1_024),
    });
    expect({ status: large.status, body: large.body }).toEqual({
      status: 413,
      body: { ...service.unreadable(413) },
    });
  });

  it.each(running)(
    'without it the same clients end no process, and take little more memory than busy ones: $service.name',
    async ({ route, used }) => {
      const { url } = used.built;
      const request = soundRequest(route, used.tenant);
      const startedAt = await metric(url, 'process_start_time_seconds');
      const mostMemory = async () => {
        let most = 0;
        for (const endsAt = Date.now() + PHASE_MS; Date.now() < endsAt; await sleep(100)) {
          most = Math.max(most, await metric(url, 'process_resident_memory_bytes'));
        }
        return most;
      };
      const growth = async () => {
        const busy = Array.from({ length: IN_WORK }, () => callWithoutPause(url, request));
        const ordinary = await mostMemory();
        await Promise.all(busy.map((stop) => stop()));
        const hostile = new HostileConnections(url, request);
        const attacked = await mostMemory();
        hostile.stop();
        return attacked - ordinary;
      };
      // When memory is collected differs from run to run: one of some has to be low.
      let least = Infinity;
      for (let n = 0; n < MEASUREMENTS && least > MAX_GROWTH_BYTES; n++)
        least = Math.min(least, await growth());
      expect(least).toBeLessThanOrEqual(MAX_GROWTH_BYTES);
      // What was under way of them ends with their connections.
      await eventually(async () => (await send(url, request)).status === route.success);
      expect(await metric(url, 'process_start_time_seconds')).toBe(startedAt);
    },
    60_000,
  );
});
