import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { MAX_RECORD_BYTES } from '@cxp/platform-records';
import { MAX_RECORDS } from '@cxp/record-intake';
import { MAX_JSON_VALUES } from '@cxp/service-kit';
import { recordAreas } from '@cxp/services/areas';
import { soundRequest, type KnownRoute } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { webchat, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { services } from '@cxp/services/services';
import { NOON } from '@cxp/services/tenants';
import { CLIENT_FRAMES } from '@cxp/webchat-gateway/chat-protocol/client-frames';
import { MAX_FRAME_BYTES, MAX_FRAME_VALUES } from '@cxp/webchat-gateway/chat-protocol/limits';
import { largest, largestSize, SHAPES, type LargeValue, type Schema } from './largest';
import { sendFrame } from './large-chats';
import { each, get, input, open, records, zeros, type Place, type WorstInput } from './worst-input';

/** Bytes of a URL with its query, with room for the headers that share the limit. */
const QUERY_BYTES = 14 * 1_024;
/** What an input has beside the value that is made for it. */
const ROOM = { bytes: 1_000, values: 100 };
const VALUES = MAX_JSON_VALUES - ROOM.values;

const KB = 1_024;
/** Bytes and values of a JSON body by the end of its path: the first that fits. A certificate may be larger, in one text. */
const BODIES: readonly (readonly [path: RegExp, bytes: number, values: number])[] = [
  [/\/links(\/batch)?$/, 4_096 * KB, 100_000],
  [/\/again$/, 1_024 * KB, MAX_JSON_VALUES],
  [/\/erasures$/, 256 * KB, MAX_JSON_VALUES],
  [/\/explanation$/, 128 * KB, MAX_JSON_VALUES],
  [/^/, 64 * KB, MAX_JSON_VALUES],
];

type Entry = readonly [of: string, inputs: readonly WorstInput[]];

/** All inputs of a service that follow from its tables and schemas: of its routes, record types and frames. */
export function derivedInputs(service: ServiceUnderTest): Entry[] {
  const routes = KNOWN_ROUTES.filter(
    (route) => route.service === service && !route.path.endsWith('/records'),
  );
  return [
    ...PUBLIC_PATHS.map((path): Entry => [`GET ${path}`, [open(path.replace('{page}', 'codes'))]]),
    ...routes.map((route) => inputsOfRoute(service, route)),
    ...inputsOfRecords(service),
    ...(service === webchat ? Object.entries(CLIENT_FRAMES).map(inputsOfFrame) : []),
  ];
}

const PUBLIC_PATHS = [
  ...['/health/live', '/health/ready', '/metrics', '/docs', '/docs/', '/docs/openapi.json', '/docs/page.js'],
  ...['/docs/redoc.js', '/docs/reference.json', '/docs/records.json', '/docs/guide', '/docs/guide.css'],
  '/docs/guide/{page}',
];

interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

/** The tenant's own request, each text of the query as long as it may be, and bodies of each shape. */
function inputsOfRoute(service: ServiceUnderTest, route: KnownRoute): Entry {
  const { method, path } = route;
  const { paths, components } = openApiOf(service);
  const { parameters = [], requestBody } = paths[path]?.[method.toLowerCase()] ?? {};
  const body = requestBody?.content['application/json']?.schema;
  const texts = parameters.filter(
    ({ in: where, schema: { type, format } }) =>
      where === 'query' && !format && (type === 'string' || type === 'array'),
  );
  const resolve = (ref: string) => components!.schemas![ref.split('/').at(-1)!]!;
  const [, bytes, values] = BODIES.find(([end]) => end.test(path))!;
  const most = { bytes: bytes - ROOM.bytes, values: values - ROOM.values };
  const own = input('what the tenant has', ({ tenant }) => soundRequest(route, tenant));
  const queries = texts.map(({ name, schema }) =>
    input(`the longest ${name}`, ({ tenant }) => {
      const sound = soundRequest(route, tenant);
      const longest = schema.type === 'array' ? idsOf(schema.items!) : '%25'.repeat(QUERY_BYTES / 3);
      return { ...sound, path: `${sound.path}${sound.path.includes('?') ? '&' : '?'}${name}=${longest}` };
    }),
  );
  const bodies = body
    ? shaped({ ...body }, most, { resolve }, (place, value) => ({
        ...soundRequest(route, place.tenant),
        body: JSON.stringify(value),
      }))
    : [];
  const crowded = input(
    'a body of as many values as it may hold',
    ({ tenant }, size) => {
      const sound = soundRequest(route, tenant);
      const known = JSON.parse(String(sound.body)) as object;
      return { ...sound, body: JSON.stringify({ ...known, unknown: zeros(size) }) };
    },
    most.values,
  );
  const hasJson = body !== undefined || (path.startsWith('/internal/') && method === 'POST');
  return [`${method} ${path}`, [own, ...queries, ...(hasJson ? [crowded] : []), ...bodies]];
}

/** As many different values of a list as a query may hold. */
function idsOf(items: Schema): string {
  const wanted: Omit<LargeValue, 'run'> = { shape: 'least', size: 1, known: {} };
  const made: string[] = [];
  for (let length = 0; length < QUERY_BYTES; length += made.at(-1)!.length + 1)
    made.push(String(largest(items, { ...wanted, run: made.length })));
  return made.join(',');
}

/** Records of each shape, one with unknown values, and as many as a body may hold of the smallest ones. */
function inputsOfRecords(service: ServiceUnderTest): Entry[] {
  const { area } = services.find(({ app }) => app === service.name)!;
  const { types } = recordAreas.find(({ name }) => name === area)!;
  return Object.entries(types).map(([type, { data, key, maxBytes = MAX_RECORD_BYTES }]): Entry => {
    const schema = data as Schema;
    const most = { bytes: maxBytes - ROOM.bytes, values: VALUES };
    const least = (run: number, { tenant }: Place) =>
      largest(schema, { shape: 'least', size: 1, run, known: knownOf(tenant) }) as object;
    const crowded = input(
      'a record of as many values as it may hold',
      (place, size) => (run) => records(place, type, [{ ...least(run, place), unknown: zeros(size) }]),
      VALUES,
    );
    const many = input(
      'a body of many records',
      (place, size) => (run) =>
        records(
          place,
          type,
          each(size, (n) => least(run * size + n, place)),
        ),
      MAX_RECORDS,
    );
    return [
      `record ${type}`,
      [
        ...shaped(schema, most, {}, (place, value) => records(place, type, [value])),
        crowded,
        ...(key === null ? [] : [many]),
      ],
    ];
  });
}

/** Frames with the longest texts that are filled with values or names that no schema knows. */
function inputsOfFrame([type, schema]: [string, object]): Entry {
  const most = { bytes: MAX_FRAME_BYTES - ROOM.bytes, values: MAX_FRAME_VALUES - 20 };
  const filled = (
    what: string,
    unknown: (run: number, size: number, room: number) => object,
  ): WorstInput => ({
    what,
    size: most.values,
    prepare: async (place, size) => (url, run) => {
      const texts = { shape: 'longest texts', size: most.bytes, known: knownOf(place.tenant) } as const;
      const known = largest(schema, { ...texts, run }) as object;
      const room = most.bytes - Buffer.byteLength(JSON.stringify(known));
      return sendFrame(url, place, { ...known, ...unknown(run, size, room) });
    },
  });
  return [
    `frame ${type}`,
    [
      filled('a frame of as many values as it may hold', (_, size) => ({ unknown: zeros(size) })),
      // Names cost more than values: those that the process has not seen, and long ones, the most.
      filled('a frame of as many names as it may hold', (run, size, room) => {
        const length = Math.floor(room / size) - '"":0,'.length;
        return Object.fromEntries(each(size, (n) => [`${run}-${n}-`.padEnd(length, 'x'), 0]));
      }),
    ],
  ];
}

/** An input of each shape in which the schema allows a large value, those once that are the same. */
function shaped(
  schema: Schema,
  most: { readonly bytes: number; readonly values: number },
  wanted: Pick<LargeValue, 'resolve'>,
  request: (place: Place, value: object) => ReturnType<typeof get>,
): WorstInput[] {
  const seen = new Set<string>();
  return SHAPES.flatMap((shape) => {
    const make = (size: number, run = 0, known: LargeValue['known'] = {}) =>
      largest(schema, { ...wanted, shape, size, run, known }) as object;
    const size = largestSize(make, most);
    const look = JSON.stringify(make(3)).replaceAll(/[0-9a-f-]{36}/g, '');
    if (size === undefined || seen.has(look)) return [];
    seen.add(look);
    const inputOf = (place: Place, at: number) => (run: number) =>
      request(place, make(at, run, knownOf(place.tenant)));
    return [input(`the ${shape}`, inputOf, size)];
  });
}

/** What the tenant has, and the time that a response needs: the rest of a value is new. */
function knownOf(tenant: Place['tenant']): LargeValue['known'] {
  return {
    organizationId: tenant.caller.organizationId,
    installedSourceId: tenant.installedSourceId,
    survey_campaign_id: tenant.campaignId,
    sessionId: tenant.sessionId,
    sessionToken: tenant.sessionToken,
    metadata_id: tenant.metadataId,
    sent_timestamp: NOON,
  };
}

function openApiOf({ name }: ServiceUnderTest): OpenApi {
  return JSON.parse(readFileSync(join(workspaceRoot, 'apps', name, 'openapi.json'), 'utf8')) as OpenApi;
}
