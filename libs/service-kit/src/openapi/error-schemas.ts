import type { OpenAPIObject } from '@nestjs/swagger';

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

export function errorSchemaOf(bodies: readonly object[]) {
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
