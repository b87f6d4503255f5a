import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import { workspaceRoot } from '@cxp/local-servers';

const DIRECTORY = join(__dirname, 'page');
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; img-src data:; connect-src 'self' wss:; frame-ancestors 'none'";

const FILES: readonly { path: string; file: string; type: string }[] = [
  { path: '/demo', file: 'index.html', type: 'text/html' },
  { path: '/demo/style.css', file: 'style.css', type: 'text/css' },
  { path: '/demo/page.js', file: 'page.js', type: 'text/javascript' },
  { path: '/demo/explanation.js', file: 'explanation.js', type: 'text/javascript' },
];

/** The chat page, its files, and the chat of the client package as one file for browsers. */
export async function addPageFiles(app: FastifyInstance): Promise<void> {
  const client = await bundleOfClient();
  const add = (path: string, type: string, content: () => Promise<Buffer | string>) =>
    app.get(path, async (_, reply) =>
      reply
        .headers({
          'content-type': `${type}; charset=utf-8`,
          'content-security-policy': CONTENT_SECURITY_POLICY,
          'x-content-type-options': 'nosniff',
        })
        .send(await content()),
    );
  for (const { path, file, type } of FILES) add(path, type, () => readFile(join(DIRECTORY, file)));
  add('/demo/client.js', 'text/javascript', async () => client);
}

async function bundleOfClient(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(workspaceRoot, 'libs/client/src/chat.ts')],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]!.text;
}
