import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { StaticFile } from '../http/static-file';

/** The reference sets styles by script. No other host is contacted. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * `/docs` (the reference), `/docs/openapi.json`, `/docs/guide` and `/docs/guide.md`, `/docs/records.json` (schemas of platform records), other
 * services' OpenAPI documents, and `/llms.txt`. `GET /` redirects to the reference.
 * @param service its name
 */
export function serveDocuments(fastify: FastifyInstance, service: string, directory: string): void {
  const open = (type: string, name: string) =>
    new StaticFile({
      type,
      file: join(directory, name),
      headers: { 'content-security-policy': CONTENT_SECURITY_POLICY },
    });
  const serve = (path: string, type: string, name: string) => {
    const file = open(type, name);
    fastify.get(path, (request, reply) => file.answer(request, reply));
  };
  fastify.get('/', (_, reply) => reply.redirect('/docs', 302));
  serve('/docs', 'text/html', `${service}.html`);
  serve('/docs/', 'text/html', `${service}.html`);
  serve('/docs/page.js', 'text/javascript', `${service}.js`);
  serve('/docs/scalar.js', 'text/javascript', 'scalar.js');
  serve('/docs/openapi.json', 'application/json', `${service}.json`);
  serve('/docs/guide', 'text/html', 'guide.html');
  serve('/docs/guide.md', 'text/markdown', 'guide.md');
  serve('/llms.txt', 'text/plain', `${service}.txt`);

  // Loaded at the first request, because a local stack writes the files after the start.
  const others = new Map<string, StaticFile>();
  fastify.get<{ Params: { name: string } }>('/docs/:name', (request, reply) => {
    const { name } = request.params;
    if (!/^[a-z-]+\.json$/.test(name) || !existsSync(join(directory, name))) return reply.callNotFound();
    const file = others.get(name) ?? open('application/json', name);
    others.set(name, file);
    return file.answer(request, reply);
  });
}
