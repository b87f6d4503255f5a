import { once } from 'node:events';
import fastify, { type FastifyInstance } from 'fastify';
import request from 'supertest';
import { sendProblem } from './envelope.filter';
import { messageEnvelope } from './envelopes';
import { ProblemError } from './problem';

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
      text: SECRET,
      store: STORE_FAILURE,
      problem: new ProblemError({ code: 'unauthenticated', reason: 'expired_token' }),
    }[request.query.what];
    void reply.headers({ 'content-type': 'text/csv', 'content-disposition': 'attachment', 'x-kept': 'yes' });
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

it.each([
  ['error', 500, 'Internal Server Error'],
  ['text', 500, 'Internal Server Error'],
  ['store', 503, 'Service Unavailable'],
])('hides the cause of an %s from the client and logs it', async (what, status, message) => {
  const { body, headers, text } = await request(url).get(`/?what=${what}`).expect(status);
  expect(body).toEqual({ message, statusCode: status });
  expect(JSON.stringify(headers) + text).not.toContain(SECRET);
  expect(log).toHaveLength(1);
  expect(JSON.stringify(log)).toContain(SECRET);
  expect(log[0]).toMatchObject({ level: status === 500 ? 50 : 40, reqId: expect.any(String) });
});

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
