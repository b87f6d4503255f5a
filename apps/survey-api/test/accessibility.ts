import { readFileSync } from 'node:fs';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

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
