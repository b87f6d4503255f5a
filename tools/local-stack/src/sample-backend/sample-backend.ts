import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { build } from 'esbuild';
import Fastify, { type FastifyInstance } from 'fastify';
import { generate } from 'selfsigned';
import { ApiError } from '@cxp/client';
import { EXPLANATION_STYLE } from '@cxp/follower/explanation';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { addDemoRoutes, type ApiAccess } from './demo-routes';
import { GatewayProxy } from './gateway-proxy';

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

const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src data:; connect-src 'self' wss:; frame-ancestors 'none'";

/** The chat page: its files, and its script with the chat of the client package as one file for browsers. */
async function addPageFiles(app: FastifyInstance): Promise<void> {
  const file = (name: string) => join(__dirname, 'page', name);
  const { outputFiles } = await build({
    entryPoints: [file('page.js')],
    alias: {
      '@cxp/client/chat': join(workspaceRoot, 'libs/client/src/chat.ts'),
      '@cxp/follower/explanation': join(workspaceRoot, 'libs/follower/src/report/explanation.tsx'),
    },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  const add = (path: string, type: string, content: () => Promise<Buffer | string> | string) =>
    app.get(path, async (_, reply) => {
      const headers = {
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
      };
      return reply.headers({ ...headers, 'content-type': `${type}; charset=utf-8` }).send(await content());
    });
  add('/demo', 'text/html', () => readFile(file('index.html')));
  add(
    '/demo/style.css',
    'text/css',
    async () => (await readFile(file('style.css'), 'utf8')) + EXPLANATION_STYLE,
  );
  add('/demo/page.js', 'text/javascript', () => outputFiles[0]!.text);
}

const VALID_DAYS = 365;

export interface Certificate {
  /** PEM files. */
  readonly cert: string;
  readonly key: string;
}

/** The local stack's own certificate for `localhost`: made at its first start, and again when it has expired. */
export async function prepareCertificate(directory: string): Promise<Certificate> {
  const files = { cert: join(directory, 'tls/cert.pem'), key: join(directory, 'tls/key.pem') };
  if (isValid(files)) return files;
  const notAfterDate = new Date(Date.now() + VALID_DAYS * 86_400_000);
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate,
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
          { type: 7, ip: '::1' },
        ],
      },
    ],
  });
  mkdirSync(join(directory, 'tls'), { recursive: true });
  writeFileSync(files.key, key, { mode: 0o600 });
  writeFileSync(files.cert, cert);
  return files;
}

function isValid({ cert, key }: Certificate): boolean {
  if (!existsSync(key) || !existsSync(cert)) return false;
  return Date.parse(new X509Certificate(readFileSync(cert)).validTo) > Date.now();
}
