import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { workspaceRoot } from '@cxp/local-servers';
import { findChromium, needs } from '@cxp/testing';
import { builtDocuments, writeDocuments } from '../src/documents-page';

/** The most that the page and all its files may weigh. */
const MAX_BYTES = 1_000_000;

const executablePath = findChromium();
const { describe: withChromium } = needs('chromium', executablePath);

const VALUES = { WEBCHAT_URL: 'http://localhost:3001', API_TOKEN: 'cxp_demo', ORGANIZATION_ID: 'demo' };

let directory: string;
let service: TestService;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-documents-page-'));
  await writeDocuments(directory, VALUES);
  service = await startTestService(SurveyModule, surveyDatabase, { DOCUMENTS_DIRECTORY: directory });
});
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

/** The examples of an operation, one for each language. */
function examplesOf(documents: string, operationId: string): string[] {
  const reference = JSON.parse(readFileSync(join(documents, 'reference.json'), 'utf8')) as {
    paths: Record<string, Record<string, { operationId?: string; 'x-codeSamples'?: { source: string }[] }>>;
  };
  const operations = Object.values(reference.paths).flatMap((path) => Object.values(path));
  const operation = operations.find((one) => one.operationId === operationId)!;
  return operation['x-codeSamples']!.map(({ source }) => source);
}

it('has variables of the shell in its examples', async () => {
  const [shell, script, python] = examplesOf(await builtDocuments(), 'createSession');
  expect(shell).toContain('"$WEBCHAT_URL/external/sessions"');
  expect(script).toContain('`Bearer ${process.env.API_TOKEN}`');
  expect(python).toContain('os.environ["API_TOKEN"]');
});

it('shows values in place of those that it is given', () => {
  for (const source of examplesOf(directory, 'createSession')) {
    for (const value of Object.values(VALUES)) expect(source).toContain(value);
    expect(source).not.toMatch(/\$|process\.env|os\.environ/);
  }
  const [shell] = examplesOf(directory, 'refreshSession');
  expect(shell).toContain('$SESSION_ID');
});

it('names its scripts by versions, so that browsers keep them', async () => {
  const page = await (await fetch(`${service.url}/docs`)).text();
  const scripts = Array.from(page.matchAll(/src="([^"]+)"/g), ([, address]) => address!);
  expect(scripts).toHaveLength(2);
  const cacheControl = async (address: string) =>
    (await fetch(service.url + address)).headers.get('cache-control');
  for (const address of scripts) {
    expect(await cacheControl(address)).toBe('public, max-age=31536000, immutable');
    expect(await cacheControl(`${address}x`)).toBe('no-cache');
  }
});

withChromium('the documents page', () => {
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const problems: string[] = [];
  let bytes = 0;

  beforeAll(async () => {
    // Chromium's own sandbox refuses to work for root.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    page = await browser.newPage({ bypassCSP: false, viewport: { width: 1400, height: 900 } });
    page.on('request', (request) => requested.push(request.url()));
    page.on('response', (response) => {
      void response.body().then(
        async () => {
          const { responseBodySize } = await response.request().sizes();
          bytes += responseBodySize;
        },
        () => undefined,
      );
    });
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Create a survey link' }).waitFor();
  }, 60_000);
  afterAll(() => browser.close());

  it('shows all areas and the chat socket', async () => {
    for (const name of [
      'Create a webchat session',
      'List conversation sessions',
      'List survey campaigns',
      'Chat socket',
    ]) {
      expect(await page.getByRole('heading', { name }).count()).toBeGreaterThan(0);
    }
    const text = await page.locator('main').innerText();
    expect(text).toContain('authorization: Bearer cxp_demo');
    for (const words of ['message.send', '$survey_link:create', 'TypeScript', 'Python', 'curl'])
      expect(text).toContain(words);
  });

  it('finds an operation by its words', async () => {
    await page.getByPlaceholder('Search').fill('refresh');
    await page.getByRole('search').getByText('Refresh a session token').first().waitFor();
    await page.getByPlaceholder('Search').fill('');
  });

  it('asks nobody else for anything, and has no errors', () => {
    expect(requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('blob:'))).toEqual([]);
    expect(problems).toEqual([]);
  });

  it('weighs at most 1 MB', () => {
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  });

  it('has no fault that axe finds', async () => {
    expect(await faultsOf(page)).toEqual([]);
  });

  it('is followed by a guide that needs no JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const guide = await context.newPage();
    await guide.goto(`${service.url}/docs/guide`);
    for (const title of GUIDE) {
      await guide.getByRole('navigation').getByRole('link', { name: title, exact: true }).click();
      expect(await guide.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
      expect((await guide.getByRole('main').innerText()).length).toBeGreaterThan(500);
    }
    await context.close();
  });

  it.each([
    ['light', 'rgb(255, 255, 255)'],
    ['dark', 'rgb(18, 24, 30)'],
  ] as const)('and has no fault that axe finds, %s', async (colorScheme, background) => {
    const guide = await browser.newPage({ colorScheme });
    guide.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    // They have lists, tables and snippets: all that a page can have.
    for (const name of ['records', 'typescript-client']) {
      await guide.goto(`${service.url}/docs/guide/${name}`);
      expect(await guide.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(background);
      expect(await faultsOf(guide)).toEqual([]);
    }
    expect(problems).toEqual([]);
    await guide.close();
  });
});

describe('the guide', () => {
  it('has a page for each part, without a script', async () => {
    const pages = await guideOf();
    expect(pages.size).toBe(GUIDE.length);
    for (const html of pages.values()) {
      expect(html).not.toMatch(/<script|<[^>]+\son\w+=|javascript:|<style/);
      expect(html).toContain('aria-current="page"');
    }
    const { headers } = await fetch(`${service.url}/docs/guide/codes`);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self';/);
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  it('has all headings and snippets of its documents', async () => {
    const shown = [...(await guideOf()).values()].join();
    for (const document of ['apps/README.md', 'libs/client/README.md', 'libs/client-python/README.md']) {
      const text = readFileSync(join(workspaceRoot, document), 'utf8');
      expect(shown.match(/<h[1-4] /g)!.length).toBeGreaterThan(text.match(/^#{1,3} /gm)!.length);
      for (const [, snippet] of text.matchAll(/^```[\w ]+\n([^]*?)\n```$/gm)) {
        expect(shown).toContain(escaped(snippet!));
      }
    }
  });

  it('has no link or anchor that leads nowhere', async () => {
    const files = new Map<string, string>();
    for (const [address, html] of await guideOf()) {
      for (const [, link] of html.matchAll(/href="([^"]+)"/g)) {
        if (link === 'data:,' || /^https?:/.test(link!)) continue;
        const { pathname, hash } = new URL(link!, service.url + address);
        if (!files.has(pathname)) {
          const answer = await fetch(service.url + pathname);
          expect([link, answer.status]).toEqual([link, 200]);
          files.set(pathname, await answer.text());
        }
        if (hash)
          expect([link, files.get(pathname)!.includes(`id="${hash.slice(1)}"`)]).toEqual([link, true]);
      }
    }
    expect([...files.keys()]).toEqual(expect.arrayContaining(['/docs', '/docs/openapi.json']));
  });

  it.each(['/docs/guide/unknown', '/docs/guide/..%2Findex', '/docs/guide/codes.html'])(
    'has no page %s',
    async (path) => {
      const answer = await fetch(service.url + path);
      expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'route_not_found']);
    },
  );
});

const GUIDE = [
  'Overview',
  'First calls',
  'Words',
  'Page, stream, feed or file?',
  'The rules of every call',
  'Codes',
  'Chat',
  'Follow changes',
  'Data teams',
  'Why a figure is what it is',
  'Survey links',
  'Erase a person',
  'Records',
  'Contract notes',
  'Changes of the API',
  'The TypeScript client',
  'The Python client',
];

/** The pages that the navigation of the first one names, by address. */
async function guideOf(): Promise<Map<string, string>> {
  const textOf = async (address: string) => (await fetch(service.url + address)).text();
  const links = (await textOf('/docs/guide')).matchAll(/<li><a href="(\/docs\/guide[^"#]*)"/g);
  const addresses = Array.from(links, ([, address]) => address!);
  return new Map(
    await Promise.all(
      addresses.map(async (address): Promise<[string, string]> => [address, await textOf(address)]),
    ),
  );
}

function escaped(text: string): string {
  const names: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' };
  return text.replace(/[&<>"']/g, (character) => `&${names[character]};`);
}

async function faultsOf(page: Page): Promise<object[]> {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } };
    const result = await axe.run();
    return result.violations.map(({ id, nodes }) => ({
      id,
      nodes: nodes.map(({ html, target }) => `${target.join(' ')} ${html.slice(0, 150)}`),
    }));
  });
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: { readonly html: string; readonly target: string[] }[];
}
