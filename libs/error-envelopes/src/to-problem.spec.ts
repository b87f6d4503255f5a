import {
  BadRequestException,
  HttpException,
  InternalServerErrorException,
  NotFoundException,
} from '@nestjs/common';
import { QueryFailedError } from 'typeorm';
import { ProblemError, type Problem } from './problem';
import { toProblem } from './envelope.filter';

function fastifyError(statusCode: number, code = 'FST_ERR_TEST'): Error {
  return Object.assign(new Error('of Fastify'), { statusCode, code });
}

function postgresError(code: string): Error {
  return new QueryFailedError('SELECT secret', [], Object.assign(new Error('of PostgreSQL'), { code }));
}

describe('what was thrown', () => {
  it.each<[string, unknown, Problem]>([
    [
      'a problem',
      new ProblemError({ code: 'permission_missing', permission: '$survey_link:create' }),
      { code: 'permission_missing', permission: '$survey_link:create' },
    ],
    ["Nest's 404", new NotFoundException('Cannot GET /x'), { code: 'route_not_found' }],
    [
      "Nest's 400",
      new BadRequestException('bad'),
      { code: 'request_malformed', status: 400, message: 'bad' },
    ],
    ["Nest's 413", new HttpException('too large', 413), { code: 'body_too_large' }],
    ["Nest's 500", new InternalServerErrorException('secret'), { code: 'unexpected' }],
    ["Fastify's 400", fastifyError(400), { code: 'request_malformed', status: 400, message: 'of Fastify' }],
    ["Fastify's 413", fastifyError(413), { code: 'body_too_large' }],
    ["Fastify's 500", fastifyError(500), { code: 'unexpected' }],
    ['a status that nobody planned', fastifyError(400, 'OTHER'), { code: 'unexpected' }],
    ['PostgreSQL shutting down', postgresError('57P01'), { code: 'dependency_unavailable' }],
    ['PostgreSQL refusing a row', postgresError('23505'), { code: 'unexpected' }],
    ['Redis away', new Error('Connection is closed.'), { code: 'dependency_unavailable' }],
    ['an error', new Error('secret'), { code: 'unexpected' }],
    ['a text', 'secret', { code: 'unexpected' }],
    ['nothing', undefined, { code: 'unexpected' }],
    ['null', null, { code: 'unexpected' }],
  ])('%s', (_, thrown, problem) => {
    expect(toProblem(thrown)).toEqual(problem);
  });

  it('an invalid body: the first 100 problems in the order of lines, at most ten of one record', () => {
    const item = (line: number) => ({ loc: ['body', line], msg: 'wrong', type: 'value_error' });
    const lines = Array.from({ length: 2_000 }, (_, place) => 100 - Math.floor(place / 20));
    const problem = toProblem(new ProblemError({ code: 'invalid', items: lines.map(item) }));
    const first = Array.from({ length: 100 }, (_, place) => item(1 + Math.floor(place / 10)));
    expect(problem).toEqual({ code: 'invalid', items: first });
  });

  it('an invalid body without lines: the first 100 problems as they were found', () => {
    const items = Array.from({ length: 101 }, (_, place) => ({
      loc: ['body', 'items', place],
      msg: '',
      type: '',
    }));
    const problem = toProblem(new ProblemError({ code: 'invalid', items }));
    expect(problem).toEqual({ code: 'invalid', items: items.slice(0, 100) });
  });
});
