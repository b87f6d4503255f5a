import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import GithubSlugger from 'github-slugger';
import { Marked } from 'marked';

const STYLE = readFileSync(join(__dirname, 'guide-page.css'), 'utf8');

/** The guide as a page: complete without scripts, headings with the addresses that GitHub gives them. */
export function guidePage(markdown: string): string {
  const slugger = new GithubSlugger();
  const sections: string[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, text, depth }) {
        const [id, title] = [slugger.slug(text), this.parser.parseInline(tokens)];
        if (depth === 2) sections.push(`<li><a href="#${id}">${title}</a></li>`);
        return `<h${depth} id="${id}">${title}</h${depth}>\n`;
      },
      // What is wider than a phone scrolls by itself, by the keyboard, too.
      code: ({ text }) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
    },
    hooks: {
      postprocess: (html) =>
        html
          .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
          .replaceAll('</table>', '</table></div>'),
    },
  });
  const content = marked.parse(markdown) as string;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>The API, for integrators</title>
    <link rel="icon" href="data:," />
    <style>${STYLE}</style>
  </head>
  <body>
    <nav aria-label="Contents">
      <a href="/docs">The reference</a> · <a href="/docs/guide.md">Markdown</a>
      <ul>${sections.join('')}</ul>
    </nav>
    <main>${content}</main>
  </body>
</html>
`;
}

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
