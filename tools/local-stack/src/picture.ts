import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { workspaceRoot } from '@cxp/local-servers';
import { findChromium } from '@cxp/testing';

const PICTURE = join(workspaceRoot, 'tools/local-stack/pictures/chat-page.png');

/** Writes the picture of README.md: a chat on the page of the running `npm start`, its row in the export, and the explanation of the row. */
export async function main(): Promise<void> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('Chromium is missing: .ci/setup installs it');
  const demo = readFileSync(join(workspaceRoot, '.local/demo.json'), 'utf8');
  const { demoPage } = JSON.parse(demo) as { demoPage: string };
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const context = await browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: { width: 1180, height: 860 },
    });
    const page = await context.newPage();
    await page.goto(demoPage);
    await page.locator('#status[data-state="open"]').waitFor();
    await page.getByLabel('Message').fill('Xin chào! My order has not arrived.');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.message[data-sender="customer"]:not([data-pending])').waitFor();
    await page.getByRole('button', { name: 'Take the conversation' }).click();
    await page.getByText('Ann is here').waitFor();
    await page.waitForTimeout(6_000);
    await page.getByLabel('Answer').fill('Hello! It is on its way: tomorrow before noon.');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.waitForTimeout(3_000);
    await page.locator('#rows .explanation').first().getByRole('img', { name: 'Timeline' }).waitFor();
    await page.screenshot({
      path: PICTURE,
      fullPage: true,
      clip: { x: 150, y: 0, width: 870, height: 1240 },
    });
  } finally {
    await browser.close();
  }
}
