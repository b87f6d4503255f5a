import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fastify, type FastifyInstance } from 'fastify';
import { ProblemError } from '@cxp/error-envelopes';
import { confirmStreams, type Authenticator } from './authentication';
import type { Principal } from './decorators';

const confirmAccess = jest.fn(() => Promise.resolve());
let app: FastifyInstance;
let arrived: (response: ServerResponse) => void;
let arrival: Promise<ServerResponse>;

beforeEach(async () => {
  confirmAccess.mockReset();
  arrival = new Promise((resolve) => (arrived = resolve));
  app = fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (request) => {
    request.principal = {} as Principal;
  });
  confirmStreams(app, { confirmAccess } as unknown as Authenticator);
  app.get('/', () => endless());
  app.get('/left', async (_request, { raw }) => {
    arrived(raw);
    if (!raw.closed) await once(raw, 'close');
    return endless();
  });
  await app.listen();
});
afterEach(() => app.close());

function endless(): Readable {
  return Readable.from(
    (async function* () {
      for (;;) yield await sleep(10, 'line\n');
    })(),
  );
}

it('a stream is cut when its caller is refused, and not before', async () => {
  confirmAccess.mockResolvedValueOnce().mockRejectedValueOnce(new Error('the store is down'));
  confirmAccess.mockRejectedValueOnce(new ProblemError({ code: 'unauthenticated', reason: 'unknown_token' }));
  const { body } = await fetch(app.listeningOrigin);
  await expect(
    (async () => {
      for await (const _ of body!);
    })(),
  ).rejects.toThrow('terminated');
  expect(confirmAccess).toHaveBeenCalledTimes(3);
});

it('the caller of a stream who left before it began is not looked up again', async () => {
  const client = new AbortController();
  const answer = fetch(`${app.listeningOrigin}/left`, { signal: client.signal });
  await arrival;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await sleep(700);
  expect(confirmAccess).not.toHaveBeenCalled();
});
