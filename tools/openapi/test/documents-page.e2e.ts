import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { surveyApi } from '@cxp/survey-api/service';
import { findChromium } from '@cxp/testing';
import { builtDocuments, writeDocuments } from '../src/documents-page';

/** The most that the page and all its files may weigh. */
const MAX_BYTES = 1_000_000;

const executablePath = findChromium();
const withChromium = executablePath ? describe : describe.skip;

const VALUES = { WEBCHAT_URL: 'http://localhost:3001', API_TOKEN: 'cxp_demo', ORGANIZATION_ID: 'demo' };

let directory: string;
let service: TestService;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-documents-page-'));
  await writeDocuments(directory, VALUES);
  service = await startTestService(surveyApi, surveyDatabase, { DOCUMENTS_DIRECTORY: directory });
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
    await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } };
      const result = await axe.run();
      return result.violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html, target }) => `${target.join(' ')} ${html.slice(0, 150)}`),
      }));
    });
    expect(violations).toEqual([]);
  });
});

interface AxeViolation {
  readonly id: string;
  readonly nodes: { readonly html: string; readonly target: string[] }[];
}
