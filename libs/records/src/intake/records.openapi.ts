import type { OpenAPIObject } from '@nestjs/swagger';
import { commonEnvelope, type Problem } from '@cxp/error-envelopes';
import { uncountedHeadersOf } from '@cxp/service-kit';
import { lineSchema } from '../schemas/record-schemas';
import { type RecordStore, recordLoc } from '../schemas/record-types';
import { BODY_LIMIT, BODY_LIMITS } from './record-intake';

const BAD_LINE: Problem = {
  code: 'invalid',
  items: [{ loc: recordLoc(2, 'data', 'id'), msg: 'Field required', type: 'missing' }],
};

const PROBLEMS: readonly (readonly [description: string, problem: Problem])[] = [
  ['The API token is missing or not valid', { code: 'unauthenticated', reason: 'unknown_token' }],
  [
    'The token does not have the permission `$platform_record:import`',
    { code: 'permission_missing', permission: '$platform_record:import' },
  ],
  [
    'At least one line is not valid. Nothing is stored. The answer lists the first 100 problems, of one record ten; `loc` holds the number ' +
      'of the line',
    BAD_LINE,
  ],
  ['The body is too large', { code: 'body_too_large', limit: BODY_LIMIT }],
  [
    'Too many requests, or eight intakes of the organization are under way. Nothing is stored',
    { code: 'rate_limited', limit: 'at_once', retryAfterSeconds: 5 },
  ],
  [
    'PostgreSQL or Redis is unavailable, or earlier intakes of the organization take too long. Nothing is stored; send ' +
      'the request again',
    { code: 'dependency_unavailable' },
  ],
];

const headers = ['organization-id', 'auth-type'].map((name) => ({
  name,
  in: 'header',
  required: true,
  schema: name === 'auth-type' ? { type: 'string', enum: ['token'] } : { type: 'string' },
}));

export function recordsDocument({ name, types }: RecordStore): OpenAPIObject {
  const accepted = {
    type: 'object',
    required: ['accepted'],
    properties: { accepted: { type: 'integer', minimum: 0, description: 'Lines that held a record' } },
  };
  const document = {
    openapi: '3.1.0',
    info: {
      title: `Platform records: ${name}`,
      version: '1',
      description:
        'Internal: the ingress routes `/external` only. Every record is an upsert by its key, so a request may be ' +
        'repeated. Records may arrive in any order and count in the order of their arrival.',
    },
    security: [{ token: [] }],
    paths: {
      '/internal/records': {
        post: {
          operationId: 'ingestRecords',
          summary: 'Stores platform records of the authenticated organization',
          description:
            `The body is NDJSON: one record a line, at most ${BODY_LIMITS}, at most 64 levels deep; CRLF and ` +
            'blank lines are accepted. The request is one transaction. A field that may be null may be left out; an unknown field ' +
            'is ignored.\n\nPermission: `$platform_record:import`.',
          parameters: headers,
          requestBody: {
            required: true,
            description: 'The schema is that of a line',
            content: { 'application/x-ndjson': { schema: lineSchema(types) } },
          },
          responses: {
            200: {
              description: 'All records are stored',
              headers: uncountedHeadersOf(200),
              content: { 'application/json': { schema: accepted } },
            },
            ...Object.fromEntries(PROBLEMS.map(problemResponse)),
          },
        },
      },
    },
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'API token' } } },
  };
  // TypeBox's schemas hold more than JSON.
  return JSON.parse(JSON.stringify(document)) as OpenAPIObject;
}

function problemResponse([description, problem]: (typeof PROBLEMS)[number]): [number, object] {
  const { status, body } = commonEnvelope(problem);
  return [
    status,
    { description, headers: uncountedHeadersOf(status), content: { 'application/json': { example: body } } },
  ];
}
