import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { getDefaults, lexer, parser, Renderer, Slugger, type Token } from 'marked';
import { workspaceRoot } from '@cxp/local-servers';

/** Each section of it is a page. */
const GUIDE = 'apps/README.md';

/** Documents that are a page as a whole. */
const PACKAGES: readonly (readonly [document: string, name: string, title: string])[] = [
  ['libs/client/README.md', 'typescript-client', 'The TypeScript client'],
  ['libs/client-python/README.md', 'python-client', 'The Python client'],
];

/** What else of the repository services answer. Other files of it are named without a link. */
const SERVED: Readonly<Record<string, string>> = { 'libs/platform-records': '/docs/records.json' };

interface GuidePage {
  readonly document: string;
  readonly address: string;
  readonly title: string;
  readonly tokens: readonly Token[];
}

/**
 * The documents of integrators as pages that need no JavaScript.
 * @param style the address of `GUIDE_STYLE`
 * @returns by their paths below `/docs`
 */
export function guidePages(style: string): Record<string, string> {
  const pages = [
    ...sectionsOf(GUIDE),
    ...PACKAGES.map(([document, name, title]) => ({
      document,
      address: `/docs/guide/${name}`,
      title,
      tokens: tokensOf(document),
    })),
  ];
  const addresses = addressesOf(pages);
  return Object.fromEntries(
    pages.map((page, position) => {
      const file = position === 0 ? 'guide/index.html' : `${page.address.replace('/docs/', '')}.html`;
      return [file, htmlOf(page, pages, addresses, style)];
    }),
  );
}

function tokensOf(document: string): Token[] {
  const source = readFileSync(join(workspaceRoot, document), 'utf8');
  return lexer(source, { ...getDefaults(), mangle: false });
}

/** What stands before the first section, and each section with its heading as the heading of its page. */
function sectionsOf(document: string): GuidePage[] {
  const sections: { title: string; tokens: Token[] }[] = [{ title: 'Overview', tokens: [] }];
  for (const token of tokensOf(document)) {
    if (token.type === 'heading' && token.depth === 2) sections.push({ title: token.text!, tokens: [] });
    const isInSection = sections.length > 1 && token.type === 'heading';
    sections.at(-1)!.tokens.push(isInSection ? { ...token, depth: token.depth! - 1 } : token);
  }
  return sections.map(({ title, tokens }, position) => ({
    document,
    address: position === 0 ? '/docs/guide' : `/docs/guide/${anchorOf(title)}`,
    title,
    tokens,
  }));
}

function anchorOf(heading: string): string {
  return new Slugger().serialize(heading);
}

/** Where each document and each of its anchors is, by what a link from the root of the repository would be. */
function addressesOf(pages: readonly GuidePage[]): Map<string, string> {
  const addresses = new Map(Object.entries(SERVED));
  for (const { document, address, tokens } of pages) {
    if (!addresses.has(document)) addresses.set(document, address);
    for (const { type, text } of tokens) {
      if (type !== 'heading') continue;
      addresses.set(`${document}#${anchorOf(text!)}`, `${address}#${anchorOf(text!)}`);
    }
  }
  return addresses;
}

/** @throws if a link names an anchor that its document does not have */
function rendererOf({ document }: GuidePage, addresses: ReadonlyMap<string, string>): Renderer {
  const renderer = new Renderer();
  const plain = new Renderer();
  renderer.link = (href, title, text) => {
    if (/^https?:/.test(href)) return plain.link(href, title, text);
    const target = href.startsWith('#') ? document + href : posix.join(posix.dirname(document), href);
    const address = addresses.get(target);
    if (address) return plain.link(address, title, text);
    if (addresses.has(target.replace(/#.*/, ''))) throw new Error(`${document} has a link to ${target}`);
    return text;
  };
  // What is wider than a page scrolls by itself, by keys as well.
  let tables = 0;
  renderer.table = (header, body) =>
    `<div class="wide" role="region" aria-label="Table ${++tables}" tabindex="0">${plain.table(header, body)}</div>`;
  renderer.code = (...block) => plain.code(...block).replace('<pre>', '<pre tabindex="0">');
  return renderer;
}

function htmlOf(
  page: GuidePage,
  pages: readonly GuidePage[],
  addresses: ReadonlyMap<string, string>,
  style: string,
): string {
  const item = ({ address, title }: Pick<GuidePage, 'address' | 'title'>) =>
    `<li><a href="${address}"${address === page.address ? ' aria-current="page"' : ''}>${title}</a></li>`;
  const next = pages[pages.indexOf(page) + 1];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${page.title} · External API</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="${style}" />
  </head>
  <body>
    <a class="skip" href="#content">To the text</a>
    <nav aria-label="Documents">
      <ul>
        ${pages.map(item).join('\n        ')}
      </ul>
      <ul>
        ${REFERENCES.map(item).join('\n        ')}
      </ul>
    </nav>
    <main id="content">
${parser(page.tokens, { ...getDefaults(), renderer: rendererOf(page, addresses) })}
${next ? `<p class="next">Next: <a href="${next.address}">${next.title}</a></p>` : ''}
    </main>
  </body>
</html>
`;
}

const REFERENCES = [
  { address: '/docs', title: 'Reference of all operations' },
  { address: '/docs/openapi.json', title: 'OpenAPI of this service' },
  { address: '/docs/records.json', title: 'JSON Schemas of records' },
];

export const GUIDE_STYLE = `:root {
  color-scheme: light dark;
  --text: #1c2733; --page: #fff; --link: #0b5a4f; --line: #cdd4da; --code: #f1f3f5;
}
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e8ec; --page: #12181e; --link: #7fd6c6; --line: #3a4651; --code: #1d262e; }
}
* { box-sizing: border-box; }
body { margin: 0; color: var(--text); background: var(--page); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--link); }
nav { padding: 1rem; border-bottom: 1px solid var(--line); }
nav ul { margin: 0 0 1rem; padding: 0; list-style: none; }
nav a { display: inline-block; padding: 0.2rem 0; }
nav [aria-current] { font-weight: 700; color: var(--text); text-decoration: none; }
main { max-width: 60rem; padding: 1rem 1.5rem 4rem; }
main:focus { outline: none; }
h1, h2, h3 { line-height: 1.25; scroll-margin-top: 1rem; }
code { font: 0.875em/1.5 ui-monospace, monospace; background: var(--code); padding: 0.1em 0.3em; overflow-wrap: anywhere; }
pre { padding: 0.8rem 1rem; overflow-x: auto; background: var(--code); }
pre code { padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: 0.35rem 0.6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
th code, td code { overflow-wrap: normal; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 0; padding: 0.5rem; background: var(--page); }
@media (min-width: 60rem) {
  body { display: grid; grid-template-columns: 16rem 1fr; }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; border: 0; border-right: 1px solid var(--line); }
  main { min-width: 0; padding: 1rem 3rem 4rem; }
}
@media print { nav, .next { display: none; } }
`;
