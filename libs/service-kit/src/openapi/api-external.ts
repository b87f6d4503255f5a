import { applyDecorators } from '@nestjs/common';
import { ApiHeader, ApiResponse } from '@nestjs/swagger';
import type { Envelope, Problem } from '@cxp/error-envelopes';
import { schemaOfExamples } from './example-schema';

/** Each problem that an operation can answer, by the words that describe when. */
export type DescribedProblems = Readonly<Record<string, Problem>>;

export interface ExternalOperation {
  readonly envelope: Envelope;
  readonly authTypes: readonly string[];
  readonly problems: DescribedProblems;
}

const RATE_LIMIT_HEADERS = {
  'RateLimit-Limit': 'Requests allowed in the window that has the least left',
  'RateLimit-Remaining': 'Requests left in it',
  'RateLimit-Reset': 'Seconds until it ends',
  'RateLimit-Policy': 'All windows, for instance `5;w=1, 50;w=60`',
};
const REQUEST_ID = {
  'x-request-id': 'Names this answer in the logs; taken from the request when it sends one',
};
const RETRY_AFTER = { 'Retry-After': 'Seconds to wait' };

/** The headers of an answer of an external operation. One of a fault may be made before the request is counted. */
export function headersOf(status: number) {
  return {
    ...describeHeaders(RATE_LIMIT_HEADERS, status < 500),
    ...describeHeaders(REQUEST_ID, true),
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

/** Documents what all external operations share: the headers that they require, and every error answer. */
export function ApiExternal({ envelope, authTypes, problems }: ExternalOperation): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'organization-id', required: true, description: 'The organization identifier' }),
    ApiHeader({ name: 'auth-type', required: true, enum: [...authTypes] }),
    ApiProblems(envelope, problems),
  );
}

/**
 * Documents every error answer of an operation, those that each can have included. The bodies are made by the envelope
 * that answers them, so the document can't say something else.
 */
export function ApiProblems(envelope: Envelope, problems: DescribedProblems): MethodDecorator {
  const all: [string, Problem][] = [
    ...Object.entries(problems),
    ['an unexpected error', { code: 'unexpected' }],
    ['a store is not available; try again', { code: 'dependency_unavailable' }],
  ];
  const byStatus = new Map<number, { description: string; body: object; shapes: object[] }[]>();
  for (const [description, problem] of all) {
    const { status, body } = envelope(problem);
    const shapes = [body, ...otherShapes(problem).map((other) => envelope(other).body)];
    byStatus.set(status, [...(byStatus.get(status) ?? []), { description, body, shapes }]);
  }
  return applyDecorators(
    ...[...byStatus].map(([status, answers]) =>
      ApiResponse({
        status,
        description: capitalize(answers.map(({ description }) => description).join('; or ')),
        headers: headersOf(status),
        content: {
          'application/json': {
            schema: schemaOfExamples(answers.flatMap(({ shapes }) => shapes)),
            examples: Object.fromEntries(
              answers.map(({ description, body }) => [description, { value: body }]),
            ),
          },
        },
      }),
    ),
  );
}

/** What an example of a problem does not show: a step of a location is a number if it is a position in an array. */
function otherShapes(problem: Problem): Problem[] {
  if (problem.code !== 'invalid') return [];
  return [{ ...problem, items: problem.items.map((item) => ({ ...item, loc: [...item.loc, 0] })) }];
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
