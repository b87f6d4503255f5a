import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/local-servers';
import { MAX_RECORD_BYTES } from '@cxp/platform-records';
import { MAX_RECORDS } from '@cxp/record-intake';
import { MAX_JSON_VALUES } from '@cxp/service-kit';
import { recordAreas } from '@cxp/services/areas';
import type { HttpRequest } from '@cxp/services/http';
import { soundRequest, type KnownRoute } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import { webchat, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { services } from '@cxp/services/services';
import { NOON } from '@cxp/services/tenants';
import { CLIENT_FRAMES } from '@cxp/webchat-gateway/chat-protocol/client-frames';
import { MAX_FRAME_BYTES, MAX_FRAME_VALUES } from '@cxp/webchat-gateway/chat-protocol/limits';
import { each, input, records, sendFrame, zeros, type Place, type WorstInput } from './worst-input';
import { largest, largestSize, SHAPES, type LargeValue, type Schema } from './largest';

/** Bytes of a URL with its query, with room for the headers that share the limit. */
const QUERY_BYTES = 14 * 1_024;
/** What an input has beside the value that is made for it. */
const ROOM = { bytes: 1_000, values: 100 };
const VALUES = MAX_JSON_VALUES - ROOM.values;

const KB = 1_024;
/** Bytes and values of a JSON body by the end of its path: the first that fits. A certificate may be larger, in one text. */
const BODIES: readonly (readonly [path: RegExp, bytes: number, values: number])[] = [
  [/\/links$/, 4_096 * KB, 100_000],
  [/\/again$/, 1_024 * KB, MAX_JSON_VALUES],
  [/\/erasures$/, 256 * KB, MAX_JSON_VALUES],
  [/\/explanation$/, 128 * KB, MAX_JSON_VALUES],
  [/^/, 64 * KB, MAX_JSON_VALUES],
];

/** All inputs of a service that follow from its tables and schemas: of its routes, record types and frames. */
export function derivedInputs(service: ServiceUnderTest): WorstInput[] {
  const routes = KNOWN_ROUTES.filter(
    (route) => route.service === service && !route.path.endsWith('/records'),
  );
  return [
    ...routes.flatMap((route) => inputsOfRoute(service, route)),
    ...inputsOfRecords(service),
    ...(service === webchat ? Object.entries(CLIENT_FRAMES).flatMap(inputsOfFrame) : []),
  ];
}

interface OpenApi {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}
interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: Schema }> };
}

/** The tenant's own request, each text of the query as long as it may be, and bodies of each shape. */
function inputsOfRoute({ name }: ServiceUnderTest, route: KnownRoute): WorstInput[] {
  const { method, path } = route;
  const of = `${method} ${path}`;
  const document = readFileSync(join(workspaceRoot, 'apps', name, 'openapi.json'), 'utf8');
  const { paths, components } = JSON.parse(document) as OpenApi;
  const { parameters = [], requestBody } = paths[path]?.[method.toLowerCase()] ?? {};
  const schema = requestBody?.content['application/json']?.schema;
  const texts = parameters.filter(
    ({ in: where, schema: { type, format } }) =>
      where === 'query' && !format && (type === 'string' || type === 'array'),
  );
  const queries = texts.map((parameter) =>
    input(`${of}: the longest ${parameter.name}`, ({ tenant }) => {
      const sound = soundRequest(route, tenant);
      const value = parameter.schema.items
        ? idsOf(parameter.schema.items)
        : '%25'.repeat(QUERY_BYTES / '%25'.length);
      const separator = sound.path.includes('?') ? '&' : '?';
      return { ...sound, path: `${sound.path}${separator}${parameter.name}=${value}` };
    }),
  );
  const [, bytes, values] = BODIES.find(([end]) => end.test(path))!;
  const own = ({ tenant }: Place) => soundRequest(route, tenant);
  const bodies = bodiesOf({
    of,
    schema,
    most: { bytes: bytes - ROOM.bytes, values: values - ROOM.values },
    resolve: (ref) => components!.schemas![ref.split('/').at(-1)!]!,
    least: (place) => JSON.parse(String(own(place).body)) as object,
    request: (place, value) => ({ ...own(place), body: JSON.stringify(value) }),
  });
  const hasJson = schema !== undefined || (path.startsWith('/internal/') && method === 'POST');
  return [input(`${of}: what the tenant has`, own), ...queries, ...(hasJson ? bodies : [])];
}

/** As many different values of a list as a query may hold. */
function idsOf(items: Schema): string {
  const made: string[] = [];
  for (let length = 0; length < QUERY_BYTES; length += made.at(-1)!.length + 1)
    made.push(String(largest(items, { shape: 'least', size: 1, known: {}, run: made.length })));
  return made.join(',');
}

/** Records of each shape, and as many as a body may hold of the smallest ones. */
function inputsOfRecords(service: ServiceUnderTest): WorstInput[] {
  const { area } = services.find(({ app }) => app === service.name)!;
  const { types } = recordAreas.find(({ name }) => name === area)!;
  return Object.entries(types).flatMap(([type, { data, key, maxBytes = MAX_RECORD_BYTES }]) => {
    const schema = data as Schema;
    const least = (place: Place, run: number) =>
      largest(schema, { shape: 'least', size: 1, run, known: knownOf(place) }) as object;
    const bodies = bodiesOf({
      of: `record ${type}`,
      schema,
      most: { bytes: maxBytes - ROOM.bytes, values: VALUES },
      least,
      request: (place, value) => records(place, type, [value]),
    });
    const many = input(
      `record ${type}: a body of many records`,
      (place, size) => (run) => {
        const data = each(size, (n) => least(place, run * size + n));
        return records(place, type, data);
      },
      MAX_RECORDS,
    );
    return key === null ? bodies : [...bodies, many];
  });
}

/** Frames of as many values or names as fit. Names that the process has not seen, and long ones, cost the most. */
function inputsOfFrame([type, schema]: [string, object]): WorstInput[] {
  const size = MAX_FRAME_VALUES - 20;
  const nameLength = Math.floor((MAX_FRAME_BYTES - ROOM.bytes) / size) - '"":0,'.length;
  const filled = (what: string, unknown: (run: number, size: number) => object): WorstInput => ({
    name: `frame ${type}: ${what}`,
    size,
    prepare: async (place, at) => (url, run) => {
      const known = largest(schema, { shape: 'least', size: 1, run, known: knownOf(place) }) as object;
      return sendFrame(url, place, { ...known, ...unknown(run, at) });
    },
  });
  return [
    filled('as many values as it may hold', (_, at) => ({ unknown: zeros(at) })),
    filled('as many names as it may hold', (run, at) =>
      Object.fromEntries(each(at, (n) => [`${run}-${n}-`.padEnd(nameLength, 'x'), 0])),
    ),
  ];
}

/** What accepts JSON. */
interface Accepting extends Pick<LargeValue, 'resolve'> {
  readonly of: string;
  /** None: only that it is an object is known. */
  readonly schema?: Schema;
  readonly most: { readonly bytes: number; readonly values: number };
  /** The smallest value. */
  readonly least: (place: Place, run: number) => object;
  readonly request: (place: Place, value: object) => HttpRequest;
}

/** A value of as many values as fit, and one of each shape in which the schema allows a large value: those once that are the same. */
function bodiesOf({ of, schema, most, resolve, least, request }: Accepting): WorstInput[] {
  const crowded = input(
    `${of}: as many values as it may hold`,
    (place, size) => (run) => request(place, { ...least(place, run), unknown: zeros(size) }),
    most.values,
  );
  const seen = new Set<string>();
  const shaped = SHAPES.flatMap((shape) => {
    const make = (size: number, run = 0, known: LargeValue['known'] = {}) =>
      largest(schema ?? {}, { resolve, shape, size, run, known }) as object;
    const size = largestSize(make, most);
    const look = JSON.stringify(make(3)).replaceAll(/[0-9a-f-]{36}/g, '');
    if (size === undefined || seen.has(look)) return [];
    seen.add(look);
    const inputOf = (place: Place, at: number) => (run: number) =>
      request(place, make(at, run, knownOf(place)));
    return [input(`${of}: the ${shape}`, inputOf, size)];
  });
  return schema ? [crowded, ...shaped] : [crowded];
}

/** What the tenant has, and the time that a response needs: the rest of a value is new. */
function knownOf({ tenant }: Place): LargeValue['known'] {
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
