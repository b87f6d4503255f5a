import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { workspaceRoot } from '@cxp/local-servers';
import { findChromium } from '@cxp/testing';
import { exampleConversations } from './demo-data';

const PICTURE = join(workspaceRoot, 'tools/local-stack/pictures/chat-page.png');

/** Writes the picture of README.md: why a customer of the demo waited over a holiday, as the page of the running `npm start` shows it. */
export async function main(): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium is missing: .ci/setup installs it');
  const demo = readFileSync(join(workspaceRoot, '.local/demo.json'), 'utf8');
  const { demoPage } = JSON.parse(demo) as { demoPage: string };
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width: 1180, height: 1200 },
    });
    const page = await context.newPage();
    const [holiday] = exampleConversations(new Date());
    await page.goto(`${demoPage}?conversation=${holiday!.id}`);
    await page.locator('#rows .explanation').first().waitFor();
    const { x, y, width, height } = (await page.locator('#export').boundingBox())!;
    await page.screenshot({
      path: PICTURE,
      fullPage: true,
      clip: { x: x - 18, y: y - 12, width: width + 36, height: height + 24 },
    });
  } finally {
    await browser.close();
  }
}
