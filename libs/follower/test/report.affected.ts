import { readFileSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { findChromium, needs, seededRandom } from '@cxp/testing';
import { makeReport } from '../src/report/report.command';
import { openBoth } from './both-databases';
import { isoTime, randomConversation, upsert } from './generated-feed';

const executablePath = findChromium();
const { describe: withChromium } = needs('chromium', executablePath);
const next = seededRandom('report page');
const random = (below: number) => Math.floor(next() * below);

withChromium('the page of a report', () => {
  let browser: Browser;
  let html: string;

  beforeAll(async () => {
    const { copies, close } = await openBoth({ views: true });
    const [{ store, database }] = copies as [(typeof copies)[number]];
    const rows = Array.from({ length: 300 }, (_, n) => randomConversation(random, `c-${n}`, n)).flat();
    const items = rows.map((row, place) => upsert(place + 1, row, isoTime(place)));
    await store({ items, change: items.length, startsOver: 'first_reading' });
    const period = { startDate: '2026-03-09', endDate: '2026-03-15' };
    html = await makeReport(database, { ...period, targetSeconds: 120 });
    await close();
    // Chromium's own sandbox refuses to work for root.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 390],
  ] as const)(
    '%s, %d pixels wide: asks for nothing, fits, and has no fault that axe finds',
    async (colorScheme, width) => {
      const page = await browser.newPage({ colorScheme, viewport: { width, height: 800 } });
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => asked.push(message.text()));
      await page.setContent(html);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string }[] }> };
        };
        return (await axe.run()).violations.map(({ id }) => id);
      });
      expect([asked, violations]).toEqual([[], []]);
      const sizes = await page.locator('svg text').evaluateAll((all) =>
        all.map((text) => {
          const svg = (text as SVGTextElement).ownerSVGElement!;
          const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
          return parseFloat(getComputedStyle(text).fontSize) * scale;
        }),
      );
      expect(Math.min(...sizes)).toBeGreaterThan(11);
      const name = page.locator('.scroll tbody th').first();
      await page
        .locator('.scroll')
        .first()
        .evaluate((table) => (table.scrollLeft = 200));
      expect((await name.boundingBox())!.x).toBeGreaterThanOrEqual(0);
      await page.close();
    },
  );

  it('prints each chart on one page of A4', async () => {
    const page = await browser.newPage({ viewport: { width: 718, height: 1_000 } });
    await page.setContent(html);
    await page.emulateMedia({ media: 'print' });
    const breaks = await page
      .locator('figure, .tiles > div, .card')
      .evaluateAll((all) =>
        all.map((one) => [getComputedStyle(one).breakInside, one.getBoundingClientRect().height]),
      );
    expect(breaks.filter(([inside, height]) => inside !== 'avoid' || Number(height) > 1_000)).toEqual([]);
    expect(breaks.length).toBeGreaterThan(20);
    const ends = await page
      .locator('figure, .card, .scroll')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
    expect(Math.max(...ends)).toBeLessThan(717);
    await page.close();
  });
});
