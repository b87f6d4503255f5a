import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { workspaceRoot } from '@cxp/local-servers';
import { contentVersion } from '@cxp/service-kit/static-file';
import { services } from '@cxp/services/services';
import { GUIDE_STYLE, guidePages } from './guide-pages';
import { recordsSchema } from './records-schema';
import { committedDocument, referenceDocument } from './reference-document';

const compress = promisify(gzip);

/** Where `nx build openapi` writes the documents, for the bundles and for `nx serve`. */
export const BUILT_DOCUMENTS = join(workspaceRoot, 'dist/docs');

const LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg';

/** @returns `BUILT_DOCUMENTS`, which is written first if it is missing */
export async function builtDocuments(): Promise<string> {
  if (!existsSync(join(BUILT_DOCUMENTS, 'index.html'))) await writeDocuments(BUILT_DOCUMENTS);
  return BUILT_DOCUMENTS;
}

/**
 * Writes what a service answers below `/docs`, each file with its compressed form: the page of all areas, the document of each service, the
 * schemas of records, and the guide.
 * @param values what the examples show in place of the variables of the shell
 */
export async function writeDocuments(
  directory: string,
  values: Readonly<Record<string, string>> = {},
): Promise<void> {
  const redoc = join(workspaceRoot, 'node_modules/redoc/bundles/redoc.standalone.js');
  // Redoc without its logo, which it would request from its maker.
  const library = (await readFile(redoc, 'utf8')).replaceAll(LOGO, 'data:,');
  const files: Record<string, string> = {
    'redoc.js': library,
    'page.js': SCRIPT,
    'reference.json': JSON.stringify(referenceDocument(), (key, value: unknown) =>
      key === 'source' && typeof value === 'string' ? fillIn(value, values) : value,
    ),
    ...Object.fromEntries(services.map(({ app }) => [`${app}.json`, JSON.stringify(committedDocument(app))])),
    'records.json': JSON.stringify(recordsSchema()),
    'guide.css': GUIDE_STYLE,
    ...guidePages(`/docs/guide.css?v=${contentVersion(GUIDE_STYLE)}`),
    // The last one: if it is there, all are.
    'index.html': pageWith(contentVersion(library), contentVersion(SCRIPT)),
  };
  await rm(join(directory, 'guide'), { recursive: true, force: true });
  await mkdir(join(directory, 'guide'), { recursive: true });
  await copyFile(`${redoc}.LICENSE.txt`, join(directory, 'redoc.LICENSE.txt'));
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, `${name}.gz`), await compress(content, { level: 9 }));
    await writeFile(join(directory, name), content);
  }
}

/** A variable of the shell as the examples write it in each language. */
const VARIABLE = /\$\{process\.env\.(\w+)\}|process\.env\.(\w+)!?|os\.environ\["(\w+)"\]|\$([A-Z_]+)/g;

function fillIn(source: string, values: Readonly<Record<string, string>>): string {
  return source.replace(VARIABLE, (variable, inTemplate, inScript, inPython, inShell) => {
    const value = values[(inTemplate ?? inScript ?? inPython ?? inShell) as string];
    if (value === undefined) return variable;
    if (inScript) return `'${value}'`;
    return inPython ? `"${value}"` : value;
  });
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
      body > nav { padding: 0.5rem 20px; font: 16px system-ui, sans-serif; background: #fafafa; border-bottom: 1px solid #cdd4da }
      body > nav a { color: #0b5a4f }
      #reference h5, #reference h5 span { color: #1c2733; opacity: 1 }
      #reference li.tab-error { color: #ffb3ab }
      #reference li.tab-success { color: #9be3a8 }
      #reference li[role='tab'][aria-selected='true'] { color: #1c2733 }
    </style>
  </head>
  <body>
    <nav aria-label="Documents"><a href="/docs/guide">Guide</a></nav>
    <main id="reference"></main>
    <noscript>This page needs JavaScript. The <a href="/docs/guide">guide</a> and <a href="/docs/openapi.json">/docs/openapi.json</a> do not.</noscript>
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
