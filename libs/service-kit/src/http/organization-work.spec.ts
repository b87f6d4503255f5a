import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from '@nestjs/common';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { eventually, setDeadline } from '../testing';
import { messageEnvelope } from '@cxp/error-envelopes';
import { endWorkWithAnswer, organizationWork, OrganizationWorkGuard } from './organization-work';
import { limitTimes } from './request-time';

const AT_ONCE = 6;
const TIMEOUT_MS = 100;

let app: FastifyInstance;
let organizationId: string;
/** Requests that have come to the guard. */
let arrived: FastifyReply[];
const handled = jest.fn(() => ({ handled: true }));

beforeEach(async () => {
  organizationId = randomUUID();
  arrived = [];
  handled.mockClear();
  app = fastify({ forceCloseConnections: true });
  setDeadline(TIMEOUT_MS);
  limitTimes(app, () => messageEnvelope);
  endWorkWithAnswer(app);
  const preHandler = async (request: FastifyRequest, reply: FastifyReply) => {
    // As long as the guards before it may take: the time of a request begins before its wait.
    await sleep(TIMEOUT_MS / 2);
    if (request.url === '/left' && !reply.raw.closed) await once(reply.raw, 'close');
    arrived.push(reply);
    Object.assign(request, { principal: { organizationId } });
    const http = { getRequest: () => request, getResponse: () => reply };
    await new OrganizationWorkGuard().canActivate({ switchToHttp: () => http } as ExecutionContext);
  };
  const config = { timeLimitMs: 10_000 };
  app.get('/', { preHandler, config }, handled);
  app.get('/left', { preHandler, config }, handled);
  app.get('/short', { preHandler }, handled);
  await app.listen();
});
afterEach(() => app.close());

const get = async (path: string, signal?: AbortSignal) =>
  (await fetch(app.listeningOrigin + path, { signal })).status;
const all = Array.from({ length: AT_ONCE });
const beginAll = () => all.map(() => organizationWork.begin(organizationId));

it('a request has a place until its answer begins', async () => {
  for (let n = 0; n < 2 * AT_ONCE; n++) expect(await get('/')).toBe(200);
  expect(beginAll()).toEqual(all);
});

describe('a request takes no place, and is not handled', () => {
  it('that was answered 503 while it waited', async () => {
    void beginAll();
    expect(await Promise.all([get('/short'), get('/short')])).toEqual([503, 503]);
  });

  it('whose client left before it came to the guard', async () => {
    const client = new AbortController();
    const answer = get('/left', client.signal);
    setTimeout(() => client.abort(), TIMEOUT_MS);
    await expect(answer).rejects.toThrow('aborted');
    await eventually(() => arrived.length === 1);
    void beginAll();
  });

  it('whose client left while it waited', async () => {
    void beginAll();
    const client = new AbortController();
    const answer = get('/', client.signal);
    await eventually(() => arrived.length === 1);
    client.abort();
    await expect(answer).rejects.toThrow('aborted');
    if (!arrived[0]!.raw.closed) await once(arrived[0]!.raw, 'close');
  });

  afterEach(async () => {
    all.forEach(() => organizationWork.end(organizationId));
    await sleep(TIMEOUT_MS);
    expect(handled).not.toHaveBeenCalled();
    expect(beginAll()).toEqual(all);
  });
});
