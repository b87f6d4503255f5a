import { imageEnvironment } from '@cxp/local-servers';
import { needs } from '@cxp/testing';
import { useBuiltService } from '@cxp/services/built-service';
import { soundRequest } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { SERVICES } from '@cxp/services/service-under-test';
import { nginxProgram, startEdge, type Edge } from '../src/edge';
import { HostileConnections, IN_WORK } from '../src/hostile-connections';
import { callWithoutPause, p99 } from '../src/latency';

const { describe, it } = needs('nginx', nginxProgram);

const PHASE_MS = 5_000;
/** What a busy machine adds to a request now and then. */
const FLOOR_MS = 200;
/** A busy machine may disturb one. */
const ROUNDS = 3;

describe('behind docker/nginx.conf', () => {
  const running = SERVICES.map((service) => ({
    service,
    route: KNOWN_ROUTES.find(({ service: its, path }) => its === service && path.startsWith('/external'))!,
    used: useBuiltService(service, () => ({ ...imageEnvironment(), TRUSTED_PROXIES: '127.0.0.1' })),
  }));
  let edge: Edge;
  beforeAll(async () => {
    edge = await startEdge(
      Object.fromEntries(running.map(({ service, used }) => [service.name, used.built.url])),
    );
  });
  afterAll(() => edge?.stop());

  it.each(running)(
    'other callers do not notice whether those beside them are hostile or only busy: $service.name',
    async ({ service, route, used }) => {
      const url = edge.urlOf(service.name);
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
