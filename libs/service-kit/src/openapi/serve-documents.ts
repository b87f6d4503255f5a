import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { StaticFile } from '../http/static-file';

/** Redoc sets styles by scripts and searches in a worker that it makes itself; it calls no other host. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  'worker-src blob:',
  "frame-ancestors 'none'",
].join('; ');

/** The guide has no scripts. */
const GUIDE_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * `GET /docs`, the page of all areas, `GET /docs/openapi.json`, the document of this service, `GET /docs/records.json`, the schemas of
 * all records, and `GET /docs/guide`, the guide, from the files that the build wrote.
 * @param service its name
 */
export function serveDocuments(fastify: FastifyInstance, service: string, directory: string): void {
  const open = (type: string, name: string, policy = CONTENT_SECURITY_POLICY) => {
    const headers = { 'content-security-policy': policy };
    return new StaticFile({ type, file: join(directory, name), headers });
  };
  const serve = (path: string, type: string, name: string, policy?: string) => {
    const file = open(type, name, policy);
    fastify.get(path, (request, reply) => file.answer(request, reply));
  };
  serve('/docs', 'text/html', 'index.html');
  serve('/docs/', 'text/html', 'index.html');
  serve('/docs/page.js', 'text/javascript', 'page.js');
  serve('/docs/redoc.js', 'text/javascript', 'redoc.js');
  serve('/docs/reference.json', 'application/json', 'reference.json');
  serve('/docs/openapi.json', 'application/json', `${service}.json`);
  serve('/docs/records.json', 'application/json', 'records.json');
  serve('/docs/guide', 'text/html', 'guide/index.html', GUIDE_SECURITY_POLICY);
  serve('/docs/guide.css', 'text/css', 'guide.css', GUIDE_SECURITY_POLICY);

  // Read at the first request: a local stack writes the files after its services have started.
  let pages: Map<string, StaticFile> | undefined;
  fastify.get<{ Params: { page: string } }>('/docs/guide/:page', (request, reply) => {
    pages ??= new Map(
      readdirSync(join(directory, 'guide'))
        .filter((name) => name.endsWith('.html'))
        .map((name) => [
          name.replace('.html', ''),
          open('text/html', join('guide', name), GUIDE_SECURITY_POLICY),
        ]),
    );
    const page = pages.get(request.params.page);
    return page ? page.answer(request, reply) : reply.callNotFound();
  });
}
