import { readFile, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
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

const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/**
 * `GET /docs`: all areas and the chat socket on one page.
 * @param valuesFile lines `export NAME='value'`: the values that its examples show in place of the variables
 */
export function serveDocumentsPage(fastify: FastifyInstance, valuesFile?: string): void {
  const headers = { 'content-security-policy': CONTENT_SECURITY_POLICY };
  const script = new StaticFile({ type: 'text/javascript', load: () => SCRIPT, headers });
  const library = new StaticFile({ type: 'text/javascript', load: redoc, headers });
  const reference = new StaticFile({
    type: 'application/json',
    load: async () =>
      withExampleValues((await import('./reference.json')).default, await exampleValues(valuesFile)),
    stamp: () => stampOf(valuesFile),
    headers,
  });
  const page = new StaticFile({
    type: 'text/html',
    load: async () => pageWith(await library.version(), await script.version()),
    headers,
  });
  const files = {
    '/docs': page,
    '/docs/': page,
    '/docs/page.js': script,
    '/docs/redoc.js': library,
    '/docs/reference.json': reference,
  };
  for (const [path, file] of Object.entries(files)) {
    fastify.get(path, (request, reply) => file.answer(request, reply));
  }
}

/** Changes with the file. */
async function stampOf(file: string | undefined): Promise<string> {
  if (file === undefined) return '';
  const { mtimeMs, size } = await stat(file).catch(() => ({ mtimeMs: 0, size: 0 }));
  return `${mtimeMs} ${size}`;
}

/** A variable of the shell as the examples write it in each language. */
const VARIABLE = /\$\{process\.env\.(\w+)\}|process\.env\.(\w+)!?|os\.environ\["(\w+)"\]|\$([A-Z_]+)/g;

/** @returns JSON */
function withExampleValues(reference: object, values: ReadonlyMap<string, string>): string {
  if (values.size === 0) return JSON.stringify(reference);
  return JSON.stringify(reference, (key, value: unknown) =>
    key === 'source' && typeof value === 'string' ? fillIn(value, values) : value,
  );
}

function fillIn(source: string, values: ReadonlyMap<string, string>): string {
  return source.replace(VARIABLE, (variable, inTemplate, inScript, inPython, inShell) => {
    const value = values.get((inTemplate ?? inScript ?? inPython ?? inShell) as string);
    if (value === undefined) return variable;
    if (inScript) return `'${value}'`;
    return inPython ? `"${value}"` : value;
  });
}

/** The variables of the file; none if there is no file, for instance because the local stack does not run. */
async function exampleValues(file: string | undefined): Promise<ReadonlyMap<string, string>> {
  const text = file === undefined ? '' : await readFile(file, 'utf8').catch(() => '');
  return new Map([...text.matchAll(/^export (\w+)='([^']*)'$/gm)].map(([, name, value]) => [name!, value!]));
}

/** Redoc without its logo, which it would request from its maker. */
async function redoc(): Promise<string> {
  return (await readFile(redocFile(), 'utf8')).replaceAll(LOGO, 'data:,');
}

/** Beside the bundle of a built service, else in the workspace's packages. */
function redocFile(): string {
  const built = join(__dirname, 'redoc.standalone.js');
  return existsSync(built) ? built : createRequire(__filename).resolve('redoc/bundles/redoc.standalone.js');
}

function pageWith(libraryVersion: string, scriptVersion: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>External API</title>
    <link rel="icon" href="data:," />
    <style>
      body { margin: 0 }
      #reference h5, #reference h5 span { color: #1c2733; opacity: 1 }
      #reference li.tab-error { color: #ffb3ab }
      #reference li.tab-success { color: #9be3a8 }
      #reference li[role='tab'][aria-selected='true'] { color: #1c2733 }
    </style>
  </head>
  <body>
    <main id="reference"></main>
    <noscript>The documents are at <a href="/docs/openapi.json">/docs/openapi.json</a>.</noscript>
    <script src="/docs/redoc.js?v=${libraryVersion}"></script>
    <script src="/docs/page.js?v=${scriptVersion}"></script>
  </body>
</html>
`;
}

const SCRIPT = `
const text = '#1c2733';
const theme = {
  colors: {
    primary: { main: '#0b5a4f' },
    text: { primary: text, secondary: '#4a5560' },
    http: { get: '#1f6b2a', post: '#0b5394' },
    responses: { success: { color: '#1f6b2a' }, error: { color: '#a3261b' } },
  },
  typography: {
    fontFamily: 'system-ui, sans-serif',
    headings: { fontFamily: 'system-ui, sans-serif' },
    code: { fontFamily: 'ui-monospace, monospace', color: '#a3261b', backgroundColor: '#f4f5f7' },
  },
  sidebar: { textColor: text },
  rightPanel: { backgroundColor: '#1c2733', textColor: '#fff' },
};
Redoc.init(
  '/docs/reference.json',
  { theme, nativeScrollbars: true, requiredPropsFirst: true, hideDownloadButton: true },
  document.getElementById('reference'),
);

/* What assistive technology needs, and Redoc does not set. */
function complete() {
  for (const heading of document.querySelectorAll('h5:not([role])')) {
    heading.setAttribute('role', 'heading');
    heading.setAttribute('aria-level', '3');
  }
  for (const list of document.querySelectorAll('ul:not([role]):has(> [role="menuitem"])')) list.setAttribute('role', 'menu');
  for (const item of document.querySelectorAll('[role="menuitem"][aria-label]')) item.removeAttribute('aria-label');
  for (const code of document.querySelectorAll('pre:not([tabindex])')) code.tabIndex = 0;
  for (const select of document.querySelectorAll('select:not([aria-label])')) select.setAttribute('aria-label', 'Variant');
}
new MutationObserver(complete).observe(document.getElementById('reference'), { childList: true, subtree: true });
`;
