import { setTimeout as sleep } from 'node:timers/promises';
import { needs } from '@cxp/testing';
import { send, type HttpRequest } from '../src/http';
import { soundRequest } from '../src/known-routes';
import { nginxProgram, useEdge } from '../src/edge';
import { callWithoutPause, HostileConnections, IN_WORK } from './hostile-connections';

const { describe, it } = needs('nginx', nginxProgram);

const PHASE_MS = 5_000;
const PAUSE_MS = 10;
/** What a busy machine adds to a request now and then. */
const FLOOR_MS = 200;
/** A busy machine may disturb one. */
const ROUNDS = 3;

describe('behind docker/nginx.conf', () => {
  const { running, urlOf } = useEdge();

  it.each(running)(
    'other callers do not notice whether those beside them are hostile or only busy: $service.name',
    async ({ service, route, used }) => {
      const url = urlOf(service.name);
      const request = soundRequest(route, used.tenant);
      // Of another organization.
      const other = soundRequest(route, used.other);
      const isNoticed = async () => {
        const busy = Array.from({ length: IN_WORK }, () => callWithoutPause(url, request));
        const control = await p99(url, other, route.success, PHASE_MS);
        await Promise.all(busy.map((stop) => stop()));
        const hostile = new HostileConnections(url, request);
        const attacked = await p99(url, other, route.success, PHASE_MS);
        hostile.stop();
        return attacked > Math.max(2 * control, FLOOR_MS);
      };
      let rounds = 1;
      while (await isNoticed()) expect(rounds++).toBeLessThan(ROUNDS);
    },
    120_000,
  );
});

/**
 * How long 99 of 100 calls take at most, in milliseconds.
 * @throws if one is not answered with the status
 */
async function p99(url: string, request: HttpRequest, status: number, forMs: number): Promise<number> {
  const took: number[] = [];
  const endsAt = Date.now() + forMs;
  while (Date.now() < endsAt) {
    const startedAt = performance.now();
    const answer = await send(url, request);
    if (answer.status !== status) throw new Error(`a call is answered ${answer.status}: ${answer.text}`);
    took.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  return took.sort((one, other) => one - other)[Math.floor(took.length * 0.99)]!;
}
