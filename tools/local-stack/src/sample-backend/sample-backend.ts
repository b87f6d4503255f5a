import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import Fastify from 'fastify';
import { ApiError } from '@cxp/client';
import type { Certificate } from '../certificate';
import { addDemoRoutes, type ApiAccess } from './demo-routes';
import { GatewayProxy } from './gateway-proxy';
import { addPageFiles } from './page-files';

const OWN_PATH = /^\/demo([/?]|$)/;

export interface SampleBackendOptions extends ApiAccess {
  /** Where it listens with TLS, on this machine only. */
  readonly port: number;
  readonly certificate: Certificate;
}

export interface SampleBackend {
  readonly pageUrl: string;
  close(): Promise<void>;
}

/**
 * A small backend of an integrator: `/demo` is its own chat page, everything else goes on to webchat-gateway. Both have one
 * origin, so a browser that accepts the page's certificate also opens the `websocketUrl` of a session.
 * @throws if the port is taken
 */
export async function startSampleBackend(options: SampleBackendOptions): Promise<SampleBackend> {
  const { port, certificate } = options;
  const proxy = new GatewayProxy(new URL(options.urls.webchat));
  const tls = { cert: readFileSync(certificate.cert), key: readFileSync(certificate.key) };
  const app = Fastify({
    forceCloseConnections: true,
    serverFactory: (handleOwn) =>
      createServer(tls, (request, response) => {
        if (OWN_PATH.test(request.url ?? '')) handleOwn(request, response);
        else proxy.forward(request, response);
      }).on('upgrade', (request, socket, head) => proxy.forwardUpgrade(request, socket, head)),
  });
  app.setErrorHandler((error, _, reply) => {
    if (error instanceof ApiError) return reply.code(error.status).send(error.body);
    return reply.send(error);
  });
  await addPageFiles(app);
  addDemoRoutes(app, options);

  await app.listen({ port, host: 'localhost' });
  return {
    pageUrl: `https://localhost:${port}/demo`,
    close: async () => {
      proxy.close();
      await app.close();
    },
  };
}
