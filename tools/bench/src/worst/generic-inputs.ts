import { soundRequest, type KnownRoute } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import { LIMITS } from './limits';
import { get, input, unread, zeros, type WorstInput, type WorstInputs } from './worst-input';

/** What every service answers without credentials. */
const PUBLIC_INPUTS: WorstInputs = Object.fromEntries(
  [
    '/health/live',
    '/health/ready',
    '/metrics',
    '/docs/openapi.json',
    '/docs',
    '/docs/',
    '/docs/page.js',
    '/docs/redoc.js',
    '/docs/reference.json',
    '/docs/records.json',
    '/docs/guide',
    '/docs/guide.css',
  ].map((path) => [`GET ${path}`, [unread({ ...get(path), headers: { 'accept-encoding': 'gzip' } })]]),
);

const GUIDE_INPUT: WorstInputs = {
  'GET /docs/guide/{page}': [unread({ ...get('/docs/guide/codes'), headers: { 'accept-encoding': 'gzip' } })],
};

const ENDPOINTS = '/external/webhook-endpoints';

const WITHOUT_JSON = [
  ...['/internal/records', '/external/survey-responses/export'],
  ...[`${ENDPOINTS}/{id}/secret`, `${ENDPOINTS}/{id}/test`],
];

/** Inputs that are made from the tables of routes: of public paths, and of all routes with a JSON body. */
export function genericInputs(service: ServiceUnderTest): WorstInputs {
  const withBody = KNOWN_ROUTES.filter(
    (route) =>
      route.service === service &&
      ['POST', 'PUT'].includes(route.method) &&
      !WITHOUT_JSON.includes(route.path),
  );
  const withoutBody = KNOWN_ROUTES.filter(
    ({ service: of, method, path }) =>
      of === service &&
      (path === '/external/erasures/{id}' || (path.startsWith(ENDPOINTS) && method !== 'PUT')),
  ).map((route) => [
    `${route.method} ${route.path}`,
    [input('what the tenant has', ({ tenant }) => soundRequest(route, tenant))],
  ]);
  const bodies = withBody.map((route) => [`${route.method} ${route.path}`, [crowdedBody(route)]]);
  return {
    ...PUBLIC_INPUTS,
    ...GUIDE_INPUT,
    ...(Object.fromEntries([...bodies, ...withoutBody]) as WorstInputs),
  };
}

/** A body that the route accepts, with as many values beside it as a body may hold. */
function crowdedBody(route: KnownRoute): WorstInput {
  return input(
    'a body of as many values as it may hold',
    ({ tenant }, size) => {
      const request = soundRequest(route, tenant);
      const sound = JSON.parse(String(request.body)) as object;
      return { ...request, body: JSON.stringify({ ...sound, unknown: zeros(size) }) };
    },
    LIMITS.values,
  );
}
