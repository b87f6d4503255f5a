import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Controller, Get, Module, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import request from 'supertest';
import { RequirePermission } from '@cxp/auth-headers';
import { DependencyUnavailableError } from '@cxp/storage';
import { answerInPieces, itemsJson } from '../src';
import { eventually, startTestService, type Caller, type TestService } from '../src/testing';
import { SAMPLE_PERMISSION, sampleDatabase, SampleModule, SampleSettings } from './sample-service';

/** More pieces than the buffers of both ends of a connection hold. */
const ENDLESS = 100_000;
const ITEM = 'x'.repeat(10_000);

let made = 0;
let unfinished = 0;

async function* itemsOf(pieces: number, failsAt: number): AsyncGenerator<string[]> {
  unfinished++;
  try {
    for (let piece = 0; piece < pieces; piece++) {
      if (piece === failsAt) throw new DependencyUnavailableError('gone');
      made++;
      yield [ITEM, ITEM];
    }
  } finally {
    unfinished--;
  }
}

@Controller('external/pieces')
class PieceController {
  @Get(':pieces/:failsAt')
  @RequirePermission(SAMPLE_PERMISSION)
  async list(
    @Param('pieces') pieces: string,
    @Param('failsAt') failsAt: string,
    @Req() incoming: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const items = itemsOf(Number(pieces), Number(failsAt));
    const json = itemsJson(
      items,
      (some) => some.map((item) => JSON.stringify(item)).join(','),
      () => ({ total: Number(pieces) }),
    );
    return answerInPieces(json, incoming, reply);
  }
}

@Module({ controllers: [PieceController] })
class PieceModule {}

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startTestService(
    {
      serviceName: 'sample',
      settings: SampleSettings,
      forRoot: (settings: SampleSettings) => SampleModule.forRoot(settings, PieceModule),
    },
    sampleDatabase,
  );
  caller = await service.caller();
});
beforeEach(() => (made = 0));
afterAll(() => service.stop());

const list = (pieces: number, failsAt = -1, from = caller) =>
  request(service.url).get(`/external/pieces/${pieces}/${failsAt}`).set(from.headers);

/** The status and headers of an answer whose body is not read. */
async function open(pieces: number, from = caller): Promise<IncomingMessage> {
  const url = `${service.url}/external/pieces/${pieces}/-1`;
  const [answer] = (await once(get(url, { headers: from.headers, agent: false }), 'response')) as [
    IncomingMessage,
  ];
  return answer;
}

it.each([0, 1, 3])('an answer of %i pieces is sent whole, with its length', async (pieces) => {
  const { text, headers, body } = await list(pieces).expect(200);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(text.length),
  });
  expect(text).toBe(JSON.stringify({ items: Array<string>(2 * pieces).fill(ITEM), total: pieces }));
  expect(Object.keys(body as object)).toEqual(['items', 'total']);
});

it('a large answer is the same, sent as it is made', async () => {
  const { text, headers } = await list(100).expect(200);
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'transfer-encoding': 'chunked',
  });
  expect(text).toBe(JSON.stringify({ items: Array<string>(200).fill(ITEM), total: 100 }));
});

it('what is not read is not made, and nothing is made for a client that is gone', async () => {
  const answer = await open(ENDLESS);
  let before = -1;
  // The buffers of the connection fill up.
  while (before < made) {
    before = made;
    await sleep(200);
  }
  expect(made).toBeLessThan(ENDLESS / 10);
  answer.destroy();
  await eventually(() => unfinished === 0);
  expect(made).toBeLessThan(ENDLESS / 10);
});

it('a failure before an answer is large has its status, a later one cuts it', async () => {
  await list(100, 0).expect(503);
  await list(100, 5).expect(503);
  await expect(list(100, 60)).rejects.toThrow('aborted');
  await eventually(() => unfinished === 0);
});

it('an organization that does not read its large answers is refused further ones, and nobody else is', async () => {
  const other = await service.caller();
  const unread = await Promise.all(Array.from({ length: 16 }, () => open(ENDLESS)));
  const { headers } = await list(100).expect(429);
  expect(headers['retry-after']).toBe('5');
  await list(3).expect(200);
  await list(100, -1, other).expect(200);
  for (const answer of unread) answer.destroy();
  await eventually(async () => (await list(100)).status === 200);
});
