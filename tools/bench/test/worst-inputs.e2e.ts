import type { TestService } from '@cxp/service-kit/testing';
import { recordAreas } from '@cxp/services/areas';
import { routesOf } from '@cxp/services/routes-of';
import { webchat } from '@cxp/services/service-under-test';
import { services } from '@cxp/services/services';
import { CLIENT_FRAMES } from '@cxp/webchat-gateway/chat-protocol/client-frames';
import { WORST_INPUTS } from '../src/worst/worst-inputs';

/** Its body is records: each type has inputs of its own. */
const INTAKE = 'POST /internal/records';

it('knows every service', () => {
  expect(WORST_INPUTS.map(({ service }) => service.name)).toEqual(services.map(({ app }) => app));
});

describe.each(WORST_INPUTS)('$service.name', ({ service, inputs }) => {
  let inProcess: TestService;
  beforeAll(async () => {
    inProcess = await service.startInProcess();
  }, 60_000);
  afterAll(() => inProcess.stop());

  it('has worst inputs for every route, record type and frame, and for nothing else', () => {
    const { area } = services.find(({ app }) => app === service.name)!;
    const { types } = recordAreas.find(({ name }) => name === area)!;
    const needed = [
      ...allRoutesOf(inProcess).filter((route) => route !== INTAKE),
      ...Object.keys(types).map((type) => `record ${type}`),
      ...(service === webchat
        ? ['socket that resumes', ...Object.keys(CLIENT_FRAMES).map((type) => `frame ${type}`)]
        : []),
    ];
    expect(Object.keys(inputs).sort()).toEqual(needed.sort());
    expect(Object.entries(inputs).filter(([, list]) => list.length === 0)).toEqual([]);
  });
});

/** Routes of controllers, and paths that are served without one, which are read only. */
function allRoutesOf(service: TestService): string[] {
  const declared = routesOf(service);
  const paths = new Set(declared.map((route) => route.split(' ')[1]!));
  const others = registeredPaths(service).filter((path) => !paths.has(path));
  return [...declared, ...others.map((path) => `GET ${path}`)];
}

/** Fastify tells its routes as a tree of which each line adds to the path of the line that it is below. */
function registeredPaths({ app }: TestService): string[] {
  const above: string[] = [];
  const paths = new Set<string>();
  const tree: string = app.getHttpAdapter().getInstance().printRoutes({ commonPrefix: false });
  for (const line of tree.split('\n')) {
    const [, indentation, part, methods] = /^(.*[├└]── )(.*?)(?: \((.*)\))?$/.exec(line) ?? [];
    if (indentation === undefined) continue;
    const depth = indentation.length / 4;
    above[depth] = `${depth > 1 ? above[depth - 1]! : ''}${part}`;
    if (methods?.includes('GET')) paths.add(above[depth].replace(/:(\w+)/g, '{$1}'));
  }
  return [...paths];
}
