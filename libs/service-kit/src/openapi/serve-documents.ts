import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { StaticFile } from '../http/static-file';

/** Redoc sets styles by scripts and searches in a worker that it makes itself; it asks nobody else for anything. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'worker-src blob:',
  "frame-ancestors 'none'",
].join('; ');

/**
 * `GET /docs`, the page of all areas, and `GET /docs/openapi.json`, the document of this service, from the files that the build wrote.
 * @param service its name
 */
export function serveDocuments(fastify: FastifyInstance, service: string, directory: string): void {
  const serve = (path: string, type: string, name: string) => {
    const headers = { 'content-security-policy': CONTENT_SECURITY_POLICY };
    const file = new StaticFile({ type, file: join(directory, name), headers });
    fastify.get(path, (request, reply) => file.answer(request, reply));
  };
  serve('/docs', 'text/html', 'index.html');
  serve('/docs/', 'text/html', 'index.html');
  serve('/docs/page.js', 'text/javascript', 'page.js');
  serve('/docs/redoc.js', 'text/javascript', 'redoc.js');
  serve('/docs/reference.json', 'application/json', 'reference.json');
  serve('/docs/openapi.json', 'application/json', `${service}.json`);
}
