import { needs } from '@cxp/testing';
import { soundRequest } from '../src/known-route';
import { nginxProgram, useEdge } from '../src/edge';
import { HostileConnections, IN_WORK } from './hostile-connections';
import { callWithoutPause, p99 } from './latency';

const { describe, it } = needs('nginx', nginxProgram);

const PHASE_MS = 5_000;
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
