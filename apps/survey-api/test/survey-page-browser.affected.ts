import type { BrowserContextOptions } from 'playwright-core';
import { eventually } from '@cxp/service-kit/testing';
import { ANSWERS, BRAND, QUESTIONS } from './survey-page';
import {
  accessibilityFaults,
  answerEverything,
  DESK,
  group,
  inChromium,
  type Language,
  PHONE,
  send,
  WORDS,
} from './survey-page-browser';

/** As whom and on what a survey page is tried. */
const VIEWS: [what: string, language: Language, options: BrowserContextOptions][] = [
  ['a phone, in Vietnamese', 'vi', { viewport: PHONE, hasTouch: true, colorScheme: 'light' }],
  ['a phone, in English and dark', 'en', { viewport: PHONE, colorScheme: 'dark' }],
  ['a phone without JavaScript, in English', 'en', { viewport: PHONE, javaScriptEnabled: false }],
  ['a desk, in Vietnamese', 'vi', { viewport: DESK, colorScheme: 'light' }],
  ['a desk, in English and dark', 'en', { viewport: DESK, colorScheme: 'dark' }],
  ['a desk without JavaScript, in Vietnamese', 'vi', { viewport: DESK, javaScriptEnabled: false }],
];

inChromium('the survey page in Chromium', (pages) => {
  it.each(VIEWS)(
    'on %s shows what is wrong at its question, loses nothing, is answered, and has no fault of accessibility in any state',
    async (_, language, options) => {
      // The least contrast that a brand may have.
      if (options.viewport === DESK) await pages.campaign.show({ ...BRAND, color: '#767676' });
      const page = await pages.open(options, language);
      const expectAccessible = async () => {
        // Without JavaScript in the page axe does not run.
        if (options.javaScriptEnabled !== false) expect(await accessibilityFaults(page)).toEqual([]);
      };
      await expectAccessible();
      await answerEverything(page);
      await group(page, 4).getByLabel('Email').fill('1');
      await expectAccessible();
      await send(page, language);
      const summary = page.getByRole('alert');
      await summary.getByRole('heading', { name: WORDS[language].error }).waitFor();
      expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('alert');
      const first = group(page, 4).getByLabel('Chat');
      await summary.getByRole('link').click();
      expect(await first.evaluate((element) => element === document.activeElement)).toBe(true);
      expect(await first.getAttribute('aria-invalid')).toBe('true');
      expect(await group(page, 4).locator('.error').count()).toBe(1);
      expect((await group(page, 4).locator('.error').boundingBox())!.y).toBeGreaterThanOrEqual(0);
      await expectAccessible();

      await group(page, 4).getByLabel('Email').fill('3');
      await send(page, language);
      await page.getByRole('heading', { name: WORDS[language].thanks }).waitFor();
      expect(await page.title()).toBe(WORDS[language].thanks);
      await expectAccessible();
      expect(await pages.campaign.responses()).toMatchObject([
        { answers: ANSWERS, source: 'Anonymous Link', answered_timestamp: expect.any(String) },
      ]);
      expect(await pages.campaign.exported()).toMatchObject([{ 'Question 5: Anything else?': ANSWERS['5'] }]);

      await pages.campaign.change({ status: 'inactive' });
      await page.goto(`${pages.service.url}${pages.campaign.path}?lang=${language}`);
      await expectAccessible();
      await page.context().close();
    },
    60_000,
  );

  it('never scrolls sideways, has every scale in one line, and every control is large enough for a thumb', async () => {
    for (const width of [320, 375, 390, 1280]) {
      const page = await pages.open({ viewport: { width, height: 800 } });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const boxes = (selector: string) =>
        page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      const controls = await boxes('.tile, .option, .rank input, textarea, .submit');
      expect(Math.min(...controls.map((box) => box.height))).toBeGreaterThanOrEqual(43);
      expect(Math.min(...controls.map((box) => box.width))).toBeGreaterThanOrEqual(24);
      for (const id of [1, 7, 8])
        expect(new Set((await boxes(`[data-question="${id}"] .tile`)).map((box) => box.top)).size).toBe(1);
      const titles = await page.locator('.tile span').evaluateAll((all) =>
        all.map((one) => {
          const range = document.createRange();
          range.selectNodeContents(one);
          const room = one.clientWidth - range.getBoundingClientRect().width;
          return { lines: range.getClientRects().length, words: one.textContent.split(' ').length, room };
        }),
      );
      expect(titles.filter(({ lines, words, room }) => lines > words || room < 3)).toEqual([]);
      expect((await boxes('.send'))[0]!.height).toBeLessThanOrEqual(75);
      await page.context().close();
    }
  });

  it.each([
    ['short', ['Not at all', 'Acceptable', 'Very'], [3, 1, 1, 1, 1]],
    ['long', ['Not at all', 'Somewhat satisfied, or not sure about it', 'Very'], [3, 3, 3, 1, 1]],
  ])('has a scale of three %s answers in a row or a column on every width', async (_, columns, lines) => {
    await pages.campaign.change({ survey_questions: [{ ...QUESTIONS[2]!, column_titles: columns }] });
    for (const [place, width] of [320, 360, 390, 768, 1280].entries()) {
      const page = await pages.open({ viewport: { width, height: 800 } });
      const boxes = await page
        .locator('.row:first-child .tile')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      expect(new Set(boxes.map(({ top }) => top)).size).toBe(lines[place]);
      expect(new Set(boxes.map((box) => Math.round(box.width))).size).toBe(1);
      await page.context().close();
    }
  });

  it('with JavaScript asks before a reload loses what was typed, and before nothing else', async () => {
    const page = await pages.open({ viewport: PHONE }, 'en');
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    expect(asked).toEqual([]);
    for (const fill of [
      () => group(page, 5).getByRole('textbox').fill('x'),
      () => group(page, 4).getByLabel('Chat').fill('1'),
      () => group(page, 7).getByRole('radio', { name: '4', exact: true }).check(),
    ]) {
      await fill();
      await page.locator('h1').click();
      await page.reload();
    }
    expect(asked).toEqual(['beforeunload', 'beforeunload', 'beforeunload']);
    await group(page, 5).getByRole('textbox').fill('x');
    await send(page, 'en');
    await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
    await page.reload();
    expect(asked).toHaveLength(3);
    await page.context().close();
  });

  it('counts what is answered, with and without JavaScript', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await pages.open({ viewport: PHONE, javaScriptEnabled }, 'en');
      await group(page, 1).getByRole('radio', { name: '9', exact: true }).check();
      await group(page, 4).getByLabel('Chat').fill('2');
      await group(page, 5).getByRole('textbox').fill('x');
      // What is drawn is generated by the style: another client of the browser sees it as text.
      const count = await page.locator('.done').evaluate((element) => {
        const counted = [...document.querySelectorAll('.question')].filter(
          (question) => getComputedStyle(question).counterIncrement === 'answered 1',
        );
        return `${counted.length}${element.textContent}`;
      });
      expect(count).toBe('3/8 answered');
      await page.context().close();
    }
  });

  it('with JavaScript lets a choice be taken back', async () => {
    const page = await pages.open({ viewport: PHONE }, 'en');
    await group(page, 1).getByRole('radio', { name: '9', exact: true }).check();
    await group(page, 1).getByRole('button', { name: 'Clear' }).click();
    expect(await group(page, 1).locator(':checked').count()).toBe(0);
    await send(page, 'en');
    await page.getByText('You have not answered any question yet').waitFor();
    await page.context().close();
  });

  it('shows the logo of the organization', async () => {
    await pages.campaign.show(BRAND);
    const page = await pages.open({ viewport: PHONE }, 'en');
    await eventually(() =>
      page.locator('.brand img').evaluate((logo: HTMLImageElement) => logo.naturalWidth > 0),
    );
    await page.context().close();
  });

  it.each([true, false])(
    'chooses the answer that its address names, and starts there (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const page = await pages.open({ viewport: PHONE, javaScriptEnabled }, 'en', '&q7=4#q7');
      const start = group(page, 7);
      await eventually(() => page.evaluate(() => scrollY > 0));
      const { y: top, height } = (await start.boundingBox())!;
      expect(top).toBeGreaterThanOrEqual(0);
      expect(top + height).toBeLessThan((await page.locator('.send').boundingBox())!.y);
      expect(await start.getByRole('radio', { name: '4', exact: true }).isChecked()).toBe(true);
      expect(await page.getByText('Your answer is chosen, but not sent yet').isVisible()).toBe(true);
      // Without JavaScript in the page axe does not run.
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
      await send(page, 'en');
      expect(await pages.campaign.responses()).toMatchObject([{ answers: { '7': '4' } }]);
      await page.context().close();
    },
  );

  it('asks no host but ours, and leaves nothing on the device', async () => {
    const page = await pages.open({ viewport: PHONE }, 'en');
    await answerEverything(page);
    await send(page, 'en');
    expect(
      pages.requests.filter((url) => !url.startsWith(pages.service.url) && !url.startsWith('data:')),
    ).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
    const kept = await page.evaluate(async () => [
      localStorage.length,
      sessionStorage.length,
      (await indexedDB.databases()).length,
      (await navigator.serviceWorker?.getRegistrations())?.length ?? 0,
    ]);
    expect(kept).toEqual([0, 0, 0, 0]);
    await page.context().close();
  });
});
