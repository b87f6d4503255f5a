import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from '@nestjs/common';
import type { Reflector } from '@nestjs/core';
import { fastify } from 'fastify';
import type { ApiThrottlerGuard } from '@cxp/rate-limit';
import type { Authenticator } from './authenticator';
import { AuthenticationGuard } from './guards';

it('a client that leaves while it is authenticated is not authenticated again', async () => {
  const confirmAccess = jest.fn(() => Promise.resolve());
  let arrived: (response: ServerResponse) => void;
  const arrival = new Promise<ServerResponse>((resolve) => (arrived = resolve));
  const authenticator = {
    confirmAccess,
    authenticate: async () => {
      const response = await arrival;
      if (!response.closed) await once(response, 'close');
      return { organizationId: 'acme' };
    },
  } as unknown as Authenticator;
  const reflector = { getAllAndOverride: () => ({ permission: '' }) } as unknown as Reflector;
  const guard = new AuthenticationGuard(reflector, authenticator, {} as ApiThrottlerGuard);
  const app = fastify({ forceCloseConnections: true });
  let isOver = false;
  app.get('/', { handlerTimeout: 86_400_000 }, async (request, reply) => {
    arrived(reply.raw);
    const http = { getRequest: () => request, getResponse: () => reply };
    const context = { switchToHttp: () => http, getHandler: () => app, getClass: () => app };
    isOver = await guard.canActivate(context as unknown as ExecutionContext);
  });
  await app.listen();
  const client = new AbortController();
  const answer = fetch(app.listeningOrigin, { signal: client.signal });
  await arrival;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await sleep(700);
  expect(isOver).toBe(true);
  expect(confirmAccess).not.toHaveBeenCalled();
  await app.close();
});
