import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import type { TestService } from '@cxp/service-kit/testing';
import { findChromium, needs } from '@cxp/testing';
import { LinkedCampaign, startSurveyWithPages } from './survey-page';

/** What the pages say, by their language. */
export const WORDS = {
  vi: { send: 'Gửi câu trả lời', thanks: 'Cảm ơn bạn!', error: 'Vui lòng kiểm tra lại', clear: 'Bỏ chọn' },
  en: { send: 'Send answers', thanks: 'Thank you!', error: 'Please check your answers', clear: 'Clear' },
};
export type Language = keyof typeof WORDS;

export const PHONE = { width: 375, height: 812 };
export const DESK = { width: 1280, height: 900 };

const executablePath = findChromium();
const { describe: withChromium } = needs('chromium', executablePath);

/** Describes survey pages in Chromium, with a new campaign for each test. */
export function inChromium(what: string, tests: (pages: SurveyPages) => void): void {
  withChromium(what, () => {
    const pages = new SurveyPages();
    beforeAll(async () => {
      pages.service = await startSurveyWithPages();
      // Chromium's own sandbox refuses to work for root.
      pages.browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    });
    beforeEach(async () => {
      const campaign = await LinkedCampaign.create(pages.service);
      Object.assign(pages, { campaign, problems: [], requests: [], posts: [], refused: false });
    });
    afterEach(() => {
      expect(pages.problems).toEqual([]);
    });
    afterAll(async () => {
      await pages.browser.close();
      await pages.service.stop();
    });
    tests(pages);
  });
}

export class SurveyPages {
  service!: TestService;
  browser!: Browser;
  campaign!: LinkedCampaign;
  problems!: string[];
  requests!: string[];
  posts!: string[];
  /** Whether the test makes requests fail. */
  refused!: boolean;

  async open(options: BrowserContextOptions, language: Language = 'vi', chosen = ''): Promise<Page> {
    const page = await this.browser.newPage({ baseURL: this.service.url, ...options });
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => this.problems.push(String(error)));
    page.on('console', (message) => {
      // A refusal is an answer that the tests ask for.
      if (
        message.type() === 'error' &&
        !this.refused &&
        !/status of (422|413|410|404)/.test(message.text())
      ) {
        this.problems.push(message.text());
      }
    });
    page.on('request', (request) => {
      this.requests.push(request.url());
      if (request.method() === 'POST') this.posts.push(request.url());
    });
    await page.goto(`${this.campaign.path}?lang=${language}${chosen}`);
    return page;
  }
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** By the rules of WCAG 2.2 AA, and by axe's own best practices. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  // The policy of the page refuses scripts of others, also this one as an element.
  await page.evaluate(AXE);
  const results = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { run: (options: object) => Promise<unknown> } };
    return axe.run({
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    });
  });
  const { violations, passes } = results as AxeResults;
  expect(passes.length).toBeGreaterThan(10);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Waits until the answer to a submission is shown: by the browser, or by the script in the page. */
export async function send(page: Page, language: Language): Promise<void> {
  await page.evaluate(() => (document.body.dataset.sent = ''));
  await page.getByRole('button', { name: WORDS[language].send }).click();
  await page.locator('body:not([data-sent])').waitFor();
}

export const group = (page: Page, id: number) => page.locator(`[data-question="${id}"]`);

export async function answerEverything(page: Page): Promise<void> {
  await group(page, 1).getByRole('radio', { name: '9', exact: true }).check();
  await group(page, 2).getByLabel('Price').check();
  await group(page, 2).getByLabel('Staff').check();
  const rows = group(page, 3).getByRole('group');
  await rows.nth(0).getByRole('radio', { name: 'Very', exact: true }).check();
  await rows.nth(1).getByRole('radio', { name: 'Somewhat', exact: true }).check();
  await group(page, 4).getByLabel('Chat').fill('2');
  await group(page, 4).getByLabel('Phone').fill('1');
  await group(page, 4).getByLabel('Email').fill('3');
  await group(page, 5).getByRole('textbox').fill('Cảm ơn!\nRất tốt 😀');
  await group(page, 6).getByLabel('An advertisement').check();
  await group(page, 7).getByRole('radio', { name: '4', exact: true }).check();
  await group(page, 8).getByRole('radio', { name: '7', exact: true }).check();
}
