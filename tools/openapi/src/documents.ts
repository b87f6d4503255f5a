import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { workspaceRoot } from '@cxp/testing/local-servers';
import { recordsDocument, type RecordStore } from '@cxp/records';
import { contentVersion } from '@cxp/service-kit/static-file';
import { recordAreas } from '@cxp/areas/wiring';
import { withClientSamples } from './client-samples';
import { guidePage } from './guide-page';
import { services, type Service } from '@cxp/areas/services';

const compress = promisify(gzip);

/** Where `nx build openapi` writes the documents, for the bundles and for `nx serve`. */
export const BUILT_DOCUMENTS = join(workspaceRoot, 'dist/docs');

/** The variable of the shell, in `demo.env` and the guide, that holds an area's base URL; and the URL that the page shows without it. */
const BASE_URLS: Readonly<Record<string, { readonly variable: string; readonly placeholder: string }>> = {
  webchat: { variable: 'WEBCHAT_URL', placeholder: 'https://webchat.example.com' },
  'contact-center': { variable: 'CONTACT_CENTER_URL', placeholder: 'https://contact-center.example.com' },
  survey: { variable: 'SURVEY_URL', placeholder: 'https://surveys.example.com' },
};

/** @returns `BUILT_DOCUMENTS`, which is written first if it is missing */
export async function builtDocuments(): Promise<string> {
  if (!existsSync(join(BUILT_DOCUMENTS, 'records.json'))) await writeDocuments(BUILT_DOCUMENTS);
  return BUILT_DOCUMENTS;
}

/** The document of a service as `npm run openapi` wrote it. */
export function committedDocument(app: string): OpenAPIObject {
  return JSON.parse(readFileSync(join(workspaceRoot, 'apps', app, 'openapi.json'), 'utf8')) as OpenAPIObject;
}

/** The guide as a service answers it: without links to other files of the workspace, which lead nowhere there. */
export function servedGuide(): string {
  const guide = readFileSync(join(workspaceRoot, 'apps/README.md'), 'utf8');
  return guide.replace(/\[([^\]]+)\]\((?!https:|#)[^)]*\)/g, '$1');
}

/**
 * Writes what a service answers below `/docs` and at `/llms.txt`, each file with its compressed form.
 * @param values of variables of the shell, for instance `API_TOKEN`: the page fills them into its samples
 * @param examples what stands in place of texts of the examples, for instance of an id
 */
export async function writeDocuments(
  directory: string,
  values: Readonly<Record<string, string>> = {},
  examples: Readonly<Record<string, string>> = {},
): Promise<void> {
  const script = await scalarScript();
  const guide = servedGuide();
  const files: Record<string, string> = {
    'scalar.js': script,
    'guide.md': guide,
    'guide.html': guidePage(guide),
  };
  for (const service of services) {
    const document = committedDocument(service.app);
    const page = pageScript(service, values);
    files[`${service.app}.json`] = Object.entries(examples).reduce(
      (text, [example, own]) => text.replaceAll(example, own),
      JSON.stringify(withClientSamples(document)),
    );
    files[`${service.app}.txt`] = llmsText(service, document);
    files[`${service.app}.js`] = page;
    files[`${service.app}.html`] = pageHtml(document.info.title, script, page);
  }
  for (const area of recordAreas) {
    files[`records.${area.name}.openapi.json`] = JSON.stringify(recordsDocument(area), null, 2);
  }
  // The last one: if it is there, all are.
  files['records.json'] = JSON.stringify(recordsSchema());
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(directory, `${name}.gz`), await compress(content, { level: 9 }));
    await writeFile(join(directory, name), content);
  }
}

/** The browser's script of Scalar, which its plugin holds. A service that loaded the plugin would keep 4 MB in memory. */
async function scalarScript(): Promise<string> {
  const server = fastify();
  await server.register(scalar, { routePrefix: '/docs', configuration: { sources: [] } });
  const { statusCode, body } = await server.inject('/docs/js/scalar.js');
  await server.close();
  if (statusCode !== 200) throw new Error(`Scalar's script is not at /docs/js/scalar.js: ${statusCode}`);
  return body;
}

function pageHtml(title: string, script: string, page: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title} · External API</title>
    <link rel="icon" href="data:," />
  </head>
  <body>
    <div id="reference"></div>
    <noscript>This page needs JavaScript. <a href="/docs/openapi.json">The OpenAPI document</a> and <a href="/docs/guide">the guide</a> do not.</noscript>
    <script src="/docs/scalar.js?v=${contentVersion(script)}"></script>
    <script src="/docs/page.js?v=${contentVersion(page)}"></script>
  </body>
</html>
`;
}

/** The reference begins with the area of the service, and asks no other host for anything. */
function pageScript(own: Service, values: Readonly<Record<string, string>>): string {
  const sources = [own, ...services.filter((service) => service !== own)].map((service) => {
    const { variable, placeholder } = BASE_URLS[service.area]!;
    return {
      title: committedDocument(service.app).info.title,
      slug: service.area,
      url: service === own ? '/docs/openapi.json' : `/docs/${service.app}.json`,
      ...(service !== own && { servers: [{ url: values[variable] ?? placeholder }] }),
    };
  });
  const configuration = {
    sources,
    authentication: {
      preferredSecurityScheme: 'token',
      securitySchemes: {
        token: { token: values.API_TOKEN ?? '' },
        sessionToken: { token: values.SESSION_TOKEN ?? '' },
      },
    },
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    hiddenClients: HIDDEN_CLIENTS,
    hideModels: true,
    hideClientButton: true,
    hideTestRequestButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    withDefaultFonts: false,
    telemetry: false,
    customCss: STYLE,
  };
  return `Scalar.createApiReference('#reference', ${JSON.stringify(configuration)});\n`;
}

/** Samples are shown for curl, Node.js and Python, of each one library: those that Scalar has as tabs. */
const HIDDEN_CLIENTS = {
  ...Object.fromEntries(
    'c clojure csharp dart fsharp go http java js kotlin objc ocaml php powershell r ruby rust swift'
      .split(' ')
      .map((language) => [language, true]),
  ),
  shell: ['wget', 'httpie'],
  node: ['axios', 'fetch', 'ofetch'],
  python: ['requests', 'httpx_sync', 'httpx_async', 'aiohttp'],
};

const STYLE = `
.light-mode {
  --scalar-color-accent: #0b5a4f; --scalar-color-2: #4a5560; --scalar-color-3: #4a5560;
  --scalar-color-green: #1f6b2a; --scalar-color-blue: #0b5394; --scalar-color-orange: #8a4300; --scalar-color-red: #a3261b;
}
.dark-mode { --scalar-color-accent: #7fd6c6; --scalar-color-2: #b8c2cb; --scalar-color-3: #b8c2cb; }
.endpoints .endpoint { align-items: start; margin-bottom: 4px; }
.endpoints .endpoint-path { white-space: normal; overflow-wrap: anywhere; min-width: 0; }
`;

/** Headings of the guide, and the words that begin what they are about. */
const GUIDE = [
  'First calls',
  'The rules of every call (headers, limits, repetition)',
  'Codes (what a 401 or 422 means)',
  'Follow changes',
  'Contract notes (what to expect where the contract is silent)',
];

/** What a program that reads should know first about a service, in the form of llmstxt.org. */
function llmsText({ area }: Service, { info, paths }: OpenAPIObject): string {
  const calls = Object.entries(paths).flatMap(([path, item]) =>
    (['get', 'post', 'put', 'delete'] as const).flatMap((method) => {
      const operation = item[method];
      return operation ? [`- \`${method.toUpperCase()} ${path}\`: ${operation.summary ?? ''}`] : [];
    }),
  );
  return [
    `# ${info.title}`,
    '',
    `> ${info.description!.split('\n')[0]}`,
    '',
    'Every call carries three headers: `authorization: Bearer <API token>`, `organization-id: <your organization>`, `auth-type: token`.',
    'If a call is refused, `X-Error-Code` names the reason, and `X-Error-Detail` the header or permission that is missing.',
    'Wait as long as `Retry-After` says after a 429 or 503, then repeat the call.',
    '',
    '## Calls',
    '',
    ...calls,
    '',
    '## Documents',
    '',
    '- [OpenAPI 3.1](/docs/openapi.json): every field, error and example of the calls above',
    ...(area === 'webchat'
      ? ['- [AsyncAPI](/docs/asyncapi.json): the frames of the websocket that `websocketUrl` opens']
      : []),
    '- [The guide](/docs/guide.md) (a page: /docs/guide): how to use all three services. Read in it, by heading:',
    ...GUIDE.map((heading) => `  - ${heading}`),
    '- [The reference](/docs): the same for people, with samples for curl, Node.js and Python',
    '',
  ].join('\n');
}

interface Line {
  readonly properties: {
    readonly type: { readonly const: string };
    readonly op: { readonly const: 'upsert' | 'delete' };
  };
}

/**
 * The JSON Schema of all platform records: `<area>.<type>` and `<area>.<type>.delete` are each one line,
 * `<area>` is any line of the area.
 */
export function recordsSchema(): object {
  const areas: Record<string, object> = {};
  const records: Record<string, object> = {};
  for (const area of recordAreas) {
    const lines = linesOf(area).map((line): [string, Line] => [nameOf(area.name, line), line]);
    Object.assign(records, Object.fromEntries(lines));
    areas[area.name] = {
      description: `A line for POST /internal/records of ${area.name}`,
      oneOf: lines.map(([name]) => ({ $ref: `#/$defs/${name}` })),
    };
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'urn:cxp:platform-records',
    title: 'Platform records',
    description:
      'One line of NDJSON. Validate it with the definition of its area, or of its type. Intake checks besides this that dates are in the calendar, and what a ' +
      'type says in words. Unknown fields are ignored.',
    anyOf: Object.keys(areas).map((area) => ({ $ref: `#/$defs/${area}` })),
    $defs: { ...areas, ...records },
  };
}

function nameOf(area: string, { properties: { type, op } }: Line): string {
  return `${area}.${type.const}${op.const === 'delete' ? '.delete' : ''}`;
}

/** As the document of the area's intake has them. */
function linesOf(area: RecordStore): Line[] {
  const [intake] = Object.values(recordsDocument(area).paths);
  const { content } = intake!.post!.requestBody as {
    content: Record<string, { schema: { oneOf: Line[] } }>;
  };
  return content['application/x-ndjson']!.schema.oneOf;
}
