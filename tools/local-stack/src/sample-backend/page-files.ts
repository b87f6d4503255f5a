import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { workspaceRoot } from '@cxp/testing/local-servers';

const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src data:; connect-src 'self' wss:; frame-ancestors 'none'";

/** The chat page: its files, and its script with the chat of the client package as one file for browsers. */
export async function addPageFiles(app: FastifyInstance): Promise<void> {
  const file = (name: string) => join(__dirname, 'page', name);
  const { outputFiles } = await build({
    entryPoints: [file('page.js')],
    alias: { '@cxp/client/chat': join(workspaceRoot, 'libs/client/src/chat.ts') },
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  const add = (path: string, type: string, content: () => Promise<Buffer> | string) =>
    app.get(path, async (_, reply) => {
      const headers = {
        'content-security-policy': CONTENT_SECURITY_POLICY,
        'x-content-type-options': 'nosniff',
      };
      return reply.headers({ ...headers, 'content-type': `${type}; charset=utf-8` }).send(await content());
    });
  add('/demo', 'text/html', () => readFile(file('index.html')));
  add('/demo/style.css', 'text/css', () => readFile(file('style.css')));
  add('/demo/page.js', 'text/javascript', () => outputFiles[0]!.text);
}
