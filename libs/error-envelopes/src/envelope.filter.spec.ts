import { once } from 'node:events';
import {
  BadRequestException,
  HttpException,
  InternalServerErrorException,
  NotFoundException,
} from '@nestjs/common';
import fastify, { type FastifyInstance } from 'fastify';
import request from 'supertest';
import { QueryFailedError } from 'typeorm';
import { sendProblem, toProblem } from './envelope.filter';
import { messageEnvelope } from './envelopes';
import { ProblemError, type Problem } from './problem';

describe('what is sent', () => {
  const SECRET = 'password=hunter2';
  const STORE_FAILURE = Object.assign(new Error(SECRET), { code: 'ECONNREFUSED' });

  let server: FastifyInstance;
  let url: string;
  let log: Record<string, unknown>[];
  let leaving: AbortController;
  let left: Promise<void>;

  beforeEach(async () => {
    log = [];
    const stream = { write: (line: string) => void log.push(JSON.parse(line)) };
    server = fastify({ logger: { stream, level: 'warn' } });
    server.get<{ Querystring: { what: string } }>('/', (request, reply) => {
      const thrown = {
        error: new Error(SECRET),
        problem: new ProblemError({ code: 'unauthenticated', reason: 'expired_token' }),
      }[request.query.what];
      void reply.headers({
        'content-type': 'text/csv',
        'content-disposition': 'attachment',
        'x-kept': 'yes',
      });
      sendProblem(thrown, () => messageEnvelope, request, reply);
    });
    server.get('/under-way', (request, reply) => {
      reply.raw.write('first row\n');
      sendProblem(new Error(SECRET), () => messageEnvelope, request, reply);
    });
    leaving = new AbortController();
    server.get('/left', (request, reply) => {
      left = once(reply.raw, 'close').then(() =>
        sendProblem(STORE_FAILURE, () => messageEnvelope, request, reply),
      );
      leaving.abort();
    });
    url = await server.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => server.close());

  it('logs no planned problem: nobody has to act', async () => {
    await request(url).get('/?what=problem').expect(401);
    expect(log).toEqual([]);
  });

  it('logs no 503 whose client has left', async () => {
    await expect(fetch(`${url}/left`, { signal: leaving.signal })).rejects.toThrow();
    await left;
    expect(log).toEqual([]);
  });

  it('replaces what described the answer that did not come about', async () => {
    const { headers } = await request(url).get('/?what=error');
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'x-kept': 'yes' });
    expect(headers).not.toHaveProperty('content-disposition');
  });

  it('cuts the connection when an answer is under way: half a file must not look like a whole one', async () => {
    await expect(fetch(`${url}/under-way`).then((answer) => answer.text())).rejects.toThrow();
  });
});

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
