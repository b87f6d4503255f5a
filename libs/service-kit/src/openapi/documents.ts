import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import type { Envelope } from '@cxp/error-envelopes';
import type { AppModuleClass, PlatformOptions } from '../platform.module';
import type { ServiceSettings } from '../settings/service-settings';
import {
  addErrorSchemas,
  COMMON_HEADERS,
  errorResponses,
  headersOf,
  queryHeadersOf,
  type Operation,
} from './error-responses';

/** Makes the document in Nest's preview mode, which neither instantiates nor connects. */
export async function describeService<Settings extends ServiceSettings>(
  appModule: AppModuleClass<Settings>,
): Promise<OpenAPIObject> {
  const settings = new appModule.settings();
  const app = await NestFactory.create(appModule.forRoot(settings), new FastifyAdapter(), {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  return openApiDocument(app, appModule.platform(settings));
}

const WHERE_TO_READ =
  'Read the [guide](/docs/guide) first: the [rules of every call](/docs/guide#the-rules-of-every-call), the [codes](/docs/guide#codes) of refusals, and the ways through all three services.';

function openApiDocument(
  app: INestApplication,
  { document: builder, envelope }: Pick<PlatformOptions, 'document' | 'envelope'>,
): OpenAPIObject {
  builder
    .setOpenAPIVersion('3.1.0')
    .setVersion('1')
    .addSecurity('token', {
      type: 'http',
      scheme: 'bearer',
      description:
        'An API token (`cxp_…`). It is opaque: an administrator creates it, it may expire and can be revoked.',
    })
    .addSecurityRequirements('token')
    .addServer('/', 'The service that answers this document');
  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: operationId,
  });
  document.info.description += `\n\n${WHERE_TO_READ}`;
  document.externalDocs = { description: 'The guide', url: '/docs/guide' };
  document.info.contact = { name: 'API support', email: 'api-support@example.com' };
  document.info.license = {
    name: 'Proprietary',
    identifier: 'LicenseRef-Proprietary',
  } as OpenAPIObject['info']['license'];
  for (const operation of operationsOf(document)) complete(operation, envelope);
  addErrorSchemas(document);
  shareHeaders(document);
  return JSON.parse(JSON.stringify(document), splitNullableObject) as OpenAPIObject;
}

/** Nest turns `type: ['object', 'null']` into an array. */
function splitNullableObject(_: string, value: unknown): unknown {
  const { type, items: _items, description, properties, ...rest } = (value ?? {}) as Record<string, unknown>;
  if (type !== 'array' || typeof properties !== 'object') return value;
  return { description, oneOf: [{ type: 'object', properties, ...rest }, { type: 'null' }] };
}

/** Describes headers once for all areas; `<name>.optional` where not every answer has it. */
function shareHeaders(document: OpenAPIObject): void {
  const shared: Record<string, object> = {};
  for (const { responses } of operationsOf(document)) {
    for (const { headers = {} } of Object.values(responses) as { headers?: Record<string, Header> }[]) {
      for (const [name, header] of Object.entries(headers)) {
        if (!COMMON_HEADERS.has(name)) continue;
        const component = header.required ? name : `${name}.optional`;
        shared[component] ??= header;
        headers[name] = { $ref: `#/components/headers/${component}` };
      }
    }
  }
  document.components = { ...document.components, headers: shared };
}

interface Header {
  readonly required?: boolean;
  readonly $ref?: string;
}

/** Becomes the method of generated clients, for instance `listCampaigns`. */
function operationId(controller: string, method: string): string {
  const resource = controller.replace(/Controller$/, '');
  return `${method}${resource}${method === 'list' ? 's' : ''}`;
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.values(paths).flatMap((path) =>
    [path.get, path.post, path.put, path.delete].filter((one) => one !== undefined),
  );
}

function complete(operation: Operation, envelope: Envelope): void {
  const { 'x-permission': permission, responses, parameters = [] } = operation;
  Object.assign(responses, errorResponses(operation, envelope));
  delete operation['x-problems'];
  if (permission) {
    operation.description = `${operation.description ?? operation.summary}\n\nPermission: \`${permission}\`.`;
  }
  for (const [status, response] of Object.entries(responses)) {
    if (!response || '$ref' in response || !status.startsWith('2')) continue;
    response.headers = {
      ...headersOf(Number(status)),
      ...queryHeadersOf(operation),
      ...response.headers,
    };
  }
  // Tools fill examples into forms, and an optional filter's would match nothing of the demo data.
  for (const parameter of parameters) {
    if ('$ref' in parameter || parameter.required) continue;
    delete parameter.example;
    if (parameter.schema && !('$ref' in parameter.schema)) delete parameter.schema.example;
  }
}
