import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import { chromium, type Page } from 'playwright-core';
import { findChromium } from '@cxp/testing';

const PHONE = { width: 375, height: 812 };

/** What a page weighs, how accessible it is, and when it is painted with every script held back. */
export async function inspectPage(url: string): Promise<Record<string, string | number>> {
  const html = await text(url);
  const assets = [...html.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)].map(([, path]) => path!);
  const loaded = await Promise.all(assets.map((path) => text(new URL(path, url).href)));
  const weight = [html, ...loaded].reduce((sum, one) => sum + Buffer.byteLength(one), 0);
  const executablePath = findChromium();
  if (!executablePath) return { 'page and assets, bytes': weight };
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage({ viewport: PHONE });
    await page.route('**/*.js', () => undefined); // never answered
    await page.goto(url, { waitUntil: 'commit' });
    return {
      'page and assets, bytes': weight,
      'first contentful paint without any script, ms': Math.round(await firstPaint(page)),
      'axe faults': await countFaults(page),
    };
  } finally {
    await browser.close();
  }
}

async function text(url: string): Promise<string> {
  return (await fetch(url)).text();
}

function firstPaint(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        new PerformanceObserver((list) => {
          for (const { name, startTime } of list.getEntries()) {
            if (name === 'first-contentful-paint') resolve(startTime);
          }
        }).observe({ type: 'paint', buffered: true });
      }),
  );
}

async function countFaults(page: Page): Promise<number> {
  await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const results = await page.evaluate(() => {
    const { axe } = globalThis as unknown as { axe: { run: () => Promise<unknown> } };
    return axe.run();
  });
  return (results as AxeResults).violations.length;
}
