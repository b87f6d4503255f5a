import { existsSync, readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { parse } from 'node:querystring';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { OpenAPIObject } from '@nestjs/swagger';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { isCalendarDate } from '../validators/validators';
import { recordExchanges, type RecordedExchange } from './recorded-exchange';

const MAX_SHOWN = 20;

const FORMATS = {
  date: isCalendarDate,
  // UTC with milliseconds.
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  uri: (text: string) => URL.canParse(text),
  binary: true,
} as const;

interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'header' | 'path';
  readonly required?: boolean;
  readonly schema: { readonly type?: string | readonly string[] };
}

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: RegExp;
  /** A JSON pointer into the document. */
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  readonly accepts: readonly string[];
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}

interface DocumentedResponse {
  readonly content?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, DocumentedHeader>>;
}

interface DocumentedHeader {
  readonly required?: boolean;
  readonly $ref?: string;
}

/**
 * Compares every exchange with the committed OpenAPI document: status, headers, media type, body, and accepted requests.
 * Undocumented paths are skipped.
 * @returns throws if there was a difference
 */
export function checkExchanges(server: Server, app: string): () => void {
  const check = checkOf(app);
  if (!check) return () => undefined; // Samples of lib tests have no document.
  const differences = new Map<string, string>();
  recordExchanges(server, (exchange) => {
    for (const difference of check.differencesOf(exchange)) {
      if (!differences.has(difference)) differences.set(difference, `${exchange.method} ${exchange.url}`);
    }
  });
  return () => {
    if (differences.size === 0) return;
    const shown = [...differences].slice(0, MAX_SHOWN).map(([text, example]) => `${text}\n    ${example}`);
    throw new Error(`${differences.size} differences between ${app} and its document:\n${shown.join('\n')}`);
  };
}

const checks = new Map<string, ExchangeCheck>();

function checkOf(app: string): ExchangeCheck | undefined {
  const known = checks.get(app);
  if (known) return known;
  const file = join(workspaceRoot, 'apps', app, 'openapi.json');
  if (!existsSync(file)) return undefined;
  const check = new ExchangeCheck(JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject);
  checks.set(app, check);
  return check;
}

class ExchangeCheck {
  private readonly operations: readonly Operation[];
  private readonly requests: Schemas;
  private readonly answers: Schemas;
  private readonly parameters: Schemas;
  private readonly headers: Readonly<Record<string, DocumentedHeader>>;

  constructor(document: OpenAPIObject) {
    this.operations = operationsOf(document);
    this.headers = document.components?.headers ?? {};
    this.requests = new Schemas(document, {});
    this.answers = new Schemas(withClosedObjects(document), {});
    this.parameters = new Schemas(document, { coerceTypes: 'array' });
  }

  /** @returns one line for each difference */
  differencesOf(exchange: RecordedExchange): string[] {
    const [path, query] = exchange.url.split('?', 2) as [string, string?];
    const operation = this.operations.find(
      (one) => one.method === exchange.method.toLowerCase() && one.path.test(path),
    );
    if (!operation) return [];
    const found = [...this.inAnswer(operation, exchange)];
    if (exchange.status < 300) found.push(...this.inRequest(operation, exchange, parse(query ?? '')));
    return found.map((difference) => `${operation.name}: ${exchange.status}: ${difference}`);
  }

  private inAnswer(operation: Operation, exchange: RecordedExchange): string[] {
    const { status, responseHeaders, responseBody } = exchange;
    const documented = operation.responses[status];
    if (!documented) return ['the status is not documented'];
    const missing = Object.entries(documented.headers ?? {})
      .filter(([name, header]) => this.isRequired(header) && !(name.toLowerCase() in responseHeaders))
      .map(([name]) => name);
    const differences = missing.map((name) => `the header ${name} is missing`);
    if (status === 204) return differences;
    const mediaType = matching(Object.keys(documented.content ?? {}), responseHeaders['content-type']);
    return [
      ...differences,
      ...(mediaType === undefined
        ? [`the media type ${responseHeaders['content-type']} is not documented`]
        : this.inBody(
            this.answers,
            responseBody,
            operation.pointer,
            'responses',
            String(status),
            'content',
            mediaType,
          )),
    ];
  }

  private isRequired({ $ref, required }: DocumentedHeader): boolean {
    return ($ref ? this.headers[$ref.split('/').at(-1)!]?.required : required) ?? false;
  }

  private inRequest(
    operation: Operation,
    { requestHeaders, requestBody }: RecordedExchange,
    query: Readonly<Record<string, string | string[] | undefined>>,
  ): string[] {
    const found = operation.parameters.flatMap((parameter, index) => {
      if (parameter.in === 'path') return [];
      const value = (parameter.in === 'query' ? query : requestHeaders)[parameter.name];
      // An empty parameter counts as absent.
      if (!value) return parameter.required ? [`accepted without ${parameter.name}`] : [];
      // An array may be comma-separated; empty elements count as absent.
      const given = parameter.schema.type === 'array' ? String(value).split(',').filter(Boolean) : value;
      const pointer = `${operation.pointer}/parameters/${index}/schema`;
      return this.problems(this.parameters, pointer, { value: given }, parameter.name);
    });
    if (operation.accepts.length === 0) return found;
    const mediaType = matching(operation.accepts, requestHeaders['content-type']);
    if (mediaType === undefined) return [...found, `accepted as ${requestHeaders['content-type']}`];
    return [
      ...found,
      ...this.inBody(this.requests, requestBody, operation.pointer, 'requestBody', 'content', mediaType),
    ];
  }

  private inBody(
    schemas: Schemas,
    text: string | undefined,
    pointer: string,
    ...path: readonly string[]
  ): string[] {
    if (text === undefined) return [];
    const schema = [pointer, ...[...path, 'schema'].map(escaped)].join('/');
    return this.problems(schemas, schema, { value: JSON.parse(text) as unknown }, path[0]!);
  }

  private problems(schemas: Schemas, pointer: string, data: { value: unknown }, name: string): string[] {
    const validate = schemas.validatorOf(pointer);
    if (validate(data)) return [];
    return (validate.errors ?? []).map((error) => `${name}${describe(error)}`);
  }
}

/** An answer has no field that its schema does not name. */
function withClosedObjects(document: OpenAPIObject): OpenAPIObject {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    const isOpen = typeof value === 'object' && value !== null && 'properties' in value;
    return isOpen ? { additionalProperties: false, ...value } : value;
  }) as OpenAPIObject;
}

class Schemas {
  private readonly ajv: Ajv2020;
  private readonly validators = new Map<string, ValidateFunction>();

  constructor(document: OpenAPIObject, options: { readonly coerceTypes?: 'array' }) {
    this.ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS, ...options });
    this.ajv.addSchema(document, 'document', undefined, false);
  }

  /** @returns validates `{ value }`, because ajv coerces only members of objects */
  validatorOf(pointer: string): ValidateFunction {
    const known = this.validators.get(pointer);
    if (known) return known;
    const validator = this.ajv.compile({ properties: { value: { $ref: `document#${pointer}` } } });
    this.validators.set(pointer, validator);
    return validator;
  }
}

function operationsOf({ paths }: OpenAPIObject): Operation[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      if (!operation) return [];
      const { parameters = [], requestBody, responses } = operation;
      return {
        name: `${method.toUpperCase()} ${path}`,
        method,
        path: new RegExp(`^${path.replaceAll(/{[^}]*}/g, '[^/]+')}$`),
        pointer: `/paths/${escaped(path)}/${method}`,
        parameters: parameters as Parameter[],
        accepts: Object.keys((requestBody as { content?: object } | undefined)?.content ?? {}),
        responses: responses as Operation['responses'],
      };
    }),
  );
}

function escaped(step: string): string {
  return encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** A documented media type covers sent ones with all of its parameters. */
function matching(documented: readonly string[], sent = ''): string | undefined {
  const parts = (mediaType: string) =>
    mediaType
      .toLowerCase()
      .split(';')
      .map((part) => part.trim());
  const sentParts = parts(sent);
  return documented.find((mediaType) => parts(mediaType).every((part) => sentParts.includes(part)));
}

/** Omits array indexes, so that a fault is one line. */
function describe({ instancePath, message, params }: ErrorObject): string {
  const path = instancePath.replace('/value', '').replaceAll(/\/\d+\b/g, '/*');
  return `${path} ${message} ${JSON.stringify(params)}`;
}
