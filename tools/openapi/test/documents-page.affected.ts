import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { startTestService, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { findChromium, needs } from '@cxp/testing';
import { services } from '@cxp/areas/services';
import { committedDocument, writeDocuments } from '../src/documents';

const executablePath = findChromium();
const { describe: withChromium } = needs('chromium', executablePath);

const VALUES = { WEBCHAT_URL: 'http://localhost:3001', API_TOKEN: 'cxp_demo' };

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

const textOf = async (path: string) => (await fetch(service.url + path)).text();

it('names its scripts by versions, so that browsers keep them', async () => {
  const scripts = Array.from((await textOf('/docs')).matchAll(/src="([^"]+)"/g), ([, address]) => address!);
  expect(scripts).toHaveLength(2);
  const cacheControl = async (address: string) =>
    (await fetch(service.url + address)).headers.get('cache-control');
  for (const address of scripts) {
    expect(await cacheControl(address)).toBe('public, max-age=31536000, immutable');
    expect(await cacheControl(`${address}x`)).toBe('no-cache');
  }
});

describe.each(services)('llms.txt of $app', ({ app }) => {
  const text = () => readFileSync(join(directory, `${app}.txt`), 'utf8');

  it('has every call, in at most 60 lines', () => {
    for (const [path, item] of Object.entries(committedDocument(app).paths)) {
      for (const method of ['get', 'post', 'put', 'delete'] as const)
        if (item[method])
          expect(text()).toContain(`\`${method.toUpperCase()} ${path}\`: ${item[method].summary!}`);
    }
    expect(text().split('\n').length).toBeLessThanOrEqual(60);
  });

  it('names headings that the guide has', () => {
    const named = Array.from(text().matchAll(/^ {2}- ([^(\n]+)/gm), ([, heading]) => heading!.trim());
    const guide = readFileSync(join(directory, 'guide.md'), 'utf8');
    expect(named.filter((heading) => !guide.includes(`\n## ${heading}\n`))).toEqual([]);
    expect(named).not.toEqual([]);
  });
});

it('llms.txt names documents that are there', async () => {
  const links = Array.from((await textOf('/llms.txt')).matchAll(/\]\((\/[^)]+)\)/g), ([, link]) => link!);
  expect(links).toContain('/docs/guide.md');
  for (const link of links) expect([link, (await fetch(service.url + link)).status]).toEqual([link, 200]);
});

it('the guide is a page whose links lead somewhere', async () => {
  const html = await textOf('/docs/guide');
  const ids = new Set(Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id!));
  const links = Array.from(html.matchAll(/href="([^"]+)"/g), ([, link]) => link!);
  expect(links.filter((link) => link.startsWith('#') && !ids.has(link.slice(1)))).toEqual([]);
  expect(links.filter((link) => !/^(#|https:|data:|\/docs)/.test(link))).toEqual([]);
  for (const { app } of services)
    for (const [, id] of committedDocument(app).info.description!.matchAll(/\/docs\/guide#([\w-]+)/g))
      expect(ids).toContain(id);
});

withChromium('the reference', () => {
  let browser: Browser;
  let page: Page;
  const requested: string[] = [];
  const problems: string[] = [];

  beforeAll(async () => {
    // Chromium's own sandbox refuses to work for root.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('request', (request) => requested.push(request.url()));
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    await page.goto(`${service.url}/docs`);
    await page.getByRole('heading', { name: 'Surveys' }).first().waitFor();
  });
  afterAll(() => browser.close());

  it('begins with the area of its service, and leads to the others', async () => {
    expect(await page.title()).toBe('Surveys · External API');
    await page.getByRole('button', { name: 'Surveys' }).click();
    for (const { app } of services)
      expect(await page.getByText(committedDocument(app).info.title).count()).toBeGreaterThan(0);
    await page.keyboard.press('Escape');
  });

  it('shows a whole sample of a call', async () => {
    const link = '#survey/tag/survey-links/POST/external/survey-campaigns/{survey_campaign_id}/links';
    await page.goto(`${service.url}/docs${link}`);
    const operation = page.getByRole('region', { name: 'Create a survey link' }).first();
    await operation.waitFor();
    const sample = await operation.innerText();
    for (const part of [
      /curl .*\/external\/survey-campaigns\/0b0f7c1e-/,
      /'organization-id: demo'/,
      /'auth-type: token'/,
      /'Authorization: Bearer /,
      /"metadata_mapping": \[/,
    ])
      expect(sample).toMatch(part);
  });

  it.each(['Node', 'Python'])('has samples in %s', async (language) => {
    await page.goto(`${service.url}/docs`);
    await page.getByRole('tab', { name: language }).first().waitFor({ timeout: 10_000 });
  });

  it.each(['light', 'dark'] as const)('has no fault that axe finds, %s', async (colorScheme) => {
    const reader = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 900 } });
    await reader.goto(`${service.url}/docs`);
    await reader.getByRole('heading', { name: 'Surveys' }).first().waitFor();
    expect(await faultsOf(reader)).toEqual([]);
    await reader.close();
  });

  it.each([
    ['light', 1280],
    ['dark', 390],
  ] as const)(
    'the guide has no fault that axe finds and scrolls not sideways, %s, %d wide',
    async (colorScheme, width) => {
      const reader = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      reader.on('request', (request) => requested.push(request.url()));
      await reader.goto(`${service.url}/docs/guide#codes`);
      expect(await faultsOf(reader)).toEqual([]);
      expect(await reader.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await reader.close();
    },
  );

  it('asks nobody else for anything, and has no errors', () => {
    expect(requested.filter((url) => !url.startsWith(service.url))).toEqual([]);
    expect(problems).toEqual([]);
  });
});

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
