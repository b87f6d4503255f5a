import { ApiExtension, type OpenAPIObject } from '@nestjs/swagger';
import type { Envelope, Problem } from '@cxp/error-envelopes';
import { MAX_HEADER_BYTES } from '../http/http-server';

export type DescribedProblems = Readonly<Record<string, Problem>>;

/** Adds the operation's own problems; `errorResponses` derives the rest from other decorators. */
export function ApiProblems(problems: DescribedProblems): MethodDecorator {
  return ApiExtension('x-problems', problems);
}

type OperationObject = NonNullable<OpenAPIObject['paths'][string]['get']>;

/** Nest's operation with the data of `RequirePermission` and `ApiProblems`. */
export type Operation = OperationObject & {
  readonly 'x-permission'?: string;
  'x-problems'?: DescribedProblems;
};

const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': 'Requests allowed in the window that has the least left',
  'RateLimit-Remaining': 'Requests left in it',
  'RateLimit-Reset': 'Seconds until it ends',
  'RateLimit-Policy': 'All windows, for instance `5;w=1, 50;w=60`',
};
const REQUEST_ID = {
  'x-request-id': 'Names this answer in the logs; taken from the request when it sends one',
};
const ERROR_CODE = { 'X-Error-Code': 'What is wrong, as a stable code' };
const ERROR_DETAIL = {
  'X-Error-Detail': 'Of `missing_header` the header, of `permission_missing` the permission',
};
const HELP = { Link: 'Where the codes are explained, with `rel="help"`' };
const AUTHENTICATE = { 'WWW-Authenticate': 'The scheme, `Bearer`' };
const IGNORED_PARAMETERS = {
  'X-Ignored-Parameters': 'Names of query parameters that the operation does not know, with commas',
};
const RETRY_AFTER = { 'Retry-After': 'Seconds to wait' };

/** These headers mean the same in all areas. */
export const COMMON_HEADERS: ReadonlySet<string> = new Set(
  [
    ...[RATE_LIMIT_HEADERS, REQUEST_ID, ERROR_CODE, ERROR_DETAIL, RETRY_AFTER],
    ...[HELP, AUTHENTICATE, IGNORED_PARAMETERS],
  ].flatMap(Object.keys),
);

/** Headers of an external operation's answer. An answer to a fault may come before the request is counted. */
export function headersOf(status: number) {
  return { ...describeHeaders(RATE_LIMIT_HEADERS, status < 500), ...uncountedHeadersOf(status) };
}

/** For operations whose requests are not counted. */
export function uncountedHeadersOf(status: number) {
  return {
    ...describeHeaders(REQUEST_ID, true),
    ...(status >= 400 && describeHeaders({ ...ERROR_CODE, ...HELP }, true)),
    ...(status === 401 && describeHeaders(AUTHENTICATE, true)),
    ...([401, 403].includes(status) && describeHeaders(ERROR_DETAIL, false)),
    ...([429, 503].includes(status) && describeHeaders(RETRY_AFTER, true)),
  };
}

function describeHeaders(headers: Readonly<Record<string, string>>, required: boolean) {
  const described = Object.entries(headers).map(([name, description]) => [
    name,
    { description, required, schema: { type: 'string' } as const },
  ]);
  return Object.fromEntries(described) as Record<
    string,
    { description: string; required: boolean; schema: { type: 'string' } }
  >;
}

/** The envelope of real answers makes the bodies, so the document can't contradict them. */
export function errorResponses(operation: Operation, envelope: Envelope): OperationObject['responses'] {
  const byStatus = new Map<number, { description: string; body: object }[]>();
  for (const [description, problem] of Object.entries(problemsOf(operation))) {
    const { status, body } = envelope(problem);
    byStatus.set(status, [...(byStatus.get(status) ?? []), { description, body }]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, answers]) => [
      status,
      {
        description: capitalize(answers.map(({ description }) => description).join('; or ')),
        // What can't be read is not counted.
        headers: status === UNREADABLE.status ? uncountedHeadersOf(status) : headersOf(status),
        content: {
          'application/json': {
            schema: errorSchemaOf(answers.map(({ body }) => body)),
            examples: Object.fromEntries(
              answers.map(({ description, body }) => [description, { value: body }]),
            ),
          },
        },
      },
    ]),
  );
}

const UNREADABLE = {
  code: 'request_malformed',
  status: 431,
  message: 'Request Header Fields Too Large',
} as const satisfies Problem;

/** Causes: the operation's guards, its body, its own rules, and the stores. */
function problemsOf(operation: Operation): DescribedProblems {
  return {
    ...(operation['x-permission'] && {
      'missing or invalid token': { code: 'unauthenticated', reason: 'unknown_token' },
      'the token lacks the permission': { code: 'permission_missing', permission: operation['x-permission'] },
      'rate limit exceeded': { code: 'rate_limited', limit: '', retryAfterSeconds: 1 },
    }),
    ...(operation.requestBody && { 'body too large': { code: 'body_too_large' } }),
    ...(takesQuery(operation) && {
      [`line and headers of more than ${MAX_HEADER_BYTES / 1_024} KiB`]: UNREADABLE,
    }),
    ...operation['x-problems'],
    'an unexpected error': { code: 'unexpected' },
    'a store is not available; try again': { code: 'dependency_unavailable' },
  };
}

function takesQuery({ parameters = [] }: Operation): boolean {
  return parameters.some((parameter) => 'in' in parameter && parameter.in === 'query');
}

/** Of answers to operations with a query. */
export function queryHeadersOf(operation: Operation) {
  return takesQuery(operation) ? describeHeaders(IGNORED_PARAMETERS, false) : {};
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const STRING = { type: 'string' } as const;

const ERROR_SCHEMAS = {
  MessageError: {
    type: 'object',
    description: 'What is wrong',
    required: ['message', 'statusCode'],
    properties: { message: STRING, statusCode: { type: 'integer' } },
  },
  MessageListError: {
    type: 'object',
    description: 'Everything that is wrong with a request',
    required: ['message', 'error', 'statusCode'],
    properties: {
      message: { type: 'array', items: STRING },
      error: STRING,
      statusCode: { type: 'integer' },
    },
  },
  DetailError: {
    type: 'object',
    description: 'What is wrong',
    required: ['detail'],
    properties: { detail: STRING },
  },
  DetailMessageError: {
    type: 'object',
    description: 'What is wrong, with what the message is about',
    required: ['detail'],
    properties: {
      detail: {
        type: 'object',
        required: ['message'],
        properties: {
          message: STRING,
          params: {
            type: 'object',
            required: ['model'],
            properties: { model: STRING, threshold: { type: 'integer' } },
          },
        },
      },
    },
  },
  DetailListError: {
    type: 'object',
    description: 'Everything that is wrong with a request',
    required: ['detail'],
    properties: {
      detail: {
        type: 'array',
        items: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: { type: 'array', items: { oneOf: [STRING, { type: 'integer' }] } },
            msg: STRING,
            type: STRING,
          },
        },
      },
    },
  },
} as const satisfies Schemas;

type ErrorSchema = keyof typeof ERROR_SCHEMAS;

function errorSchemaOf(bodies: readonly object[]) {
  const names = [...new Set(bodies.map(nameOf))];
  const refs = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  return refs.length === 1 ? refs[0]! : { oneOf: refs };
}

export function addErrorSchemas(document: OpenAPIObject): void {
  const text = JSON.stringify(document.paths);
  const used = Object.entries(ERROR_SCHEMAS).filter(([name]) =>
    text.includes(`#/components/schemas/${name}"`),
  );
  document.components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...Object.fromEntries(used) },
  };
}

function nameOf(body: { readonly message?: unknown; readonly detail?: unknown }): ErrorSchema {
  if ('message' in body) return Array.isArray(body.message) ? 'MessageListError' : 'MessageError';
  if (Array.isArray(body.detail)) return 'DetailListError';
  return typeof body.detail === 'string' ? 'DetailError' : 'DetailMessageError';
}
