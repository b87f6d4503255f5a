import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page, type Route } from 'playwright-core';
import { eventually, type TestService } from '@cxp/service-kit/testing';
import { findChromium, needs } from '@cxp/testing';
import { ANSWERS, BRAND, LinkedCampaign, QUESTIONS, startSurveyWithPages } from './survey-page';

const executablePath = findChromium();
const { describe: withChromium } = needs('chromium', executablePath);

/** What the pages say, by their language. */
const WORDS = {
  vi: { send: 'Gửi câu trả lời', thanks: 'Cảm ơn bạn!', error: 'Vui lòng kiểm tra lại', clear: 'Bỏ chọn' },
  en: { send: 'Send answers', thanks: 'Thank you!', error: 'Please check your answers', clear: 'Clear' },
};
type Language = keyof typeof WORDS;

const PHONE = { width: 375, height: 812 };
const DESK = { width: 1280, height: 900 };

/** As whom and on what a survey page is tried. */
const VIEWS: [what: string, language: Language, options: BrowserContextOptions][] = [
  ['a phone, in Vietnamese', 'vi', { viewport: PHONE, hasTouch: true, colorScheme: 'light' }],
  ['a phone, in English and dark', 'en', { viewport: PHONE, colorScheme: 'dark' }],
  ['a phone without JavaScript, in English', 'en', { viewport: PHONE, javaScriptEnabled: false }],
  ['a desk, in Vietnamese', 'vi', { viewport: DESK, colorScheme: 'light' }],
  ['a desk, in English and dark', 'en', { viewport: DESK, colorScheme: 'dark' }],
  ['a desk without JavaScript, in Vietnamese', 'vi', { viewport: DESK, javaScriptEnabled: false }],
];

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** By the rules of WCAG 2.2 AA, and by axe's own best practices. */
async function accessibilityFaults(page: Page): Promise<string[]> {
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

/** The page sends answers again by itself. */
const AGAIN = 'Your answers are still on this page';

withChromium('the survey page in Chromium', () => {
  let service: TestService;
  let campaign: LinkedCampaign;
  let browser: Browser;
  let problems: string[];
  let requests: string[];
  let posts: string[];
  /** Whether the test makes requests fail. */
  let refused: boolean;

  beforeAll(async () => {
    service = await startSurveyWithPages();
    // Chromium's own sandbox refuses to work for root.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  });
  beforeEach(async () => {
    campaign = await LinkedCampaign.create(service);
    problems = [];
    requests = [];
    posts = [];
    refused = false;
  });
  afterEach(() => {
    expect(problems).toEqual([]);
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  async function open(options: BrowserContextOptions, language: Language = 'vi', chosen = ''): Promise<Page> {
    const page = await browser.newPage({ baseURL: service.url, ...options });
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      // A refusal is an answer that the tests ask for.
      if (message.type() === 'error' && !refused && !/status of (422|413|410|404)/.test(message.text())) {
        problems.push(message.text());
      }
    });
    page.on('request', (request) => {
      requests.push(request.url());
      if (request.method() === 'POST') posts.push(request.url());
    });
    await page.goto(`${campaign.path}?lang=${language}${chosen}`);
    return page;
  }

  /** Waits until the answer to a submission is shown: by the browser, or by the script in the page. */
  async function send(page: Page, language: Language): Promise<void> {
    await page.evaluate(() => (document.body.dataset.sent = ''));
    await page.getByRole('button', { name: WORDS[language].send }).click();
    await page.locator('body:not([data-sent])').waitFor();
  }

  const group = (page: Page, id: number) => page.locator(`[data-question="${id}"]`);

  async function answerEverything(page: Page): Promise<void> {
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

  it.each(VIEWS)(
    'on %s shows what is wrong at its question, loses nothing, is answered, and has no fault of accessibility in any state',
    async (_, language, options) => {
      // The least contrast that a brand may have.
      if (options.viewport === DESK) await campaign.show({ ...BRAND, color: '#767676' });
      const page = await open(options, language);
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
      await expectAccessible();

      await group(page, 4).getByLabel('Email').fill('3');
      await send(page, language);
      await page.getByRole('heading', { name: WORDS[language].thanks }).waitFor();
      expect(await page.title()).toBe(WORDS[language].thanks);
      await expectAccessible();
      expect(await campaign.responses()).toMatchObject([
        { answers: ANSWERS, source: 'Anonymous Link', answered_timestamp: expect.any(String) },
      ]);
      expect(await campaign.exported()).toMatchObject([{ 'Question 5: Anything else?': ANSWERS['5'] }]);

      await campaign.change({ status: 'inactive' });
      await page.goto(`${service.url}${campaign.path}?lang=${language}`);
      await expectAccessible();
      await page.context().close();
    },
    60_000,
  );

  it.each<[what: string, javaScriptEnabled: boolean]>([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('is answered with the keyboard only, %s', async (_, javaScriptEnabled) => {
    const page = await open({ viewport: DESK, javaScriptEnabled }, 'en');
    const { keyboard } = page;
    const press = async (...keys: string[]) => {
      for (const key of keys) await keyboard.press(key);
    };
    // The language, then the scale: the first point, and nine to the right.
    await press('Tab', 'Tab', 'Space', ...Array<string>(9).fill('ArrowRight'));
    await tabTo(page, 'q2');
    await press('Tab', 'Space', 'Tab', 'Tab', 'Space'); // ids 3, 21, 22, 23: the second and the last
    await tabTo(page, 'q3.31');
    await press('Space', 'ArrowRight', 'ArrowRight', 'Tab', 'Space', 'ArrowRight');
    await tabTo(page, 'q4.41');
    await press('2', 'Tab', '1', 'Tab', '3');
    await tabTo(page, 'q5');
    await keyboard.type('typed');
    await tabTo(page, 'q6');
    await press('Space', 'ArrowDown');
    await tabTo(page, '');
    await press('Enter');
    await page.getByRole('heading', { name: 'Thank you!' }).waitFor();
    const [response] = await campaign.responses();
    expect(response!.answers).toEqual({
      '1': '9',
      '2': ['21', '23'],
      '3': { '31': 'Very', '32': 'Somewhat' },
      '4': { '41': 2, '42': 1, '43': 3 },
      '5': 'typed',
      '6': '62',
    });
    await page.context().close();
  });

  /** Goes on by Tab until a control of this name, or the button that sends, has the focus, which can be seen. */
  async function tabTo(page: Page, name: string): Promise<void> {
    for (let steps = 0; steps < 40; steps++) {
      const [focused, isButton, outline] = await page.evaluate(() => {
        const element = document.activeElement as HTMLInputElement;
        const visible = element.matches('.tile input') ? element.nextElementSibling! : element;
        return [element.name, element.matches('.submit'), getComputedStyle(visible).outlineStyle] as const;
      });
      expect(outline).toBe('solid');
      if (name === '' ? isButton : focused === name) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`no focus on ${name}`);
  }

  it('never scrolls sideways, has every scale in one line, and every control is large enough for a thumb', async () => {
    for (const width of [320, 375, 390, 1280]) {
      const page = await open({ viewport: { width, height: 800 } });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      const boxes = (selector: string) =>
        page.locator(selector).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
      const controls = await boxes('.tile, .option, .rank input, textarea, .submit');
      expect(Math.min(...controls.map((box) => box.height))).toBeGreaterThanOrEqual(43);
      expect(Math.min(...controls.map((box) => box.width))).toBeGreaterThanOrEqual(24);
      for (const id of [1, 7, 8])
        expect(new Set((await boxes(`[data-question="${id}"] .tile`)).map((box) => box.top)).size).toBe(1);
      await page.context().close();
    }
  });

  it('counts what is answered, with and without JavaScript', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open({ viewport: PHONE, javaScriptEnabled }, 'en');
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

  it.each<[what: string, says: string, refuse: (route: Route) => Promise<void>]>([
    ['the network fails', AGAIN, (route) => route.abort()],
    ['the answer is a 429', AGAIN, (route) => route.fulfill({ status: 429 })],
    ['the answer is a 503', AGAIN, (route) => route.fulfill({ status: 503 })],
    ['the answer is a 500', 'there was an error on our side', (route) => route.fulfill({ status: 500 })],
  ])('with JavaScript, if %s, keeps everything and says: %s', async (_, says, refuse) => {
    const page = await open({ viewport: PHONE }, 'en');
    refused = true;
    await answerEverything(page);
    await page.route('**/responses*', refuse);
    await page.getByRole('button', { name: WORDS.en.send }).click();
    await page.getByRole('status').getByText(says).waitFor();
    expect(await campaign.responses()).toEqual([]);
    await page.unroute('**/responses*');
    if (says !== AGAIN) {
      // It would be sent again by itself after two seconds.
      await sleep(2_500);
      expect(posts).toHaveLength(1);
      await page.getByRole('button', { name: WORDS.en.send }).click();
    }
    await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
    expect(await campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
    await page.context().close();
  });

  it('with JavaScript says why answers are not accepted, and keeps them', async () => {
    const page = await open({ viewport: PHONE }, 'en');
    await group(page, 5).getByRole('textbox').fill('x'.repeat(70_000));
    await page.getByRole('button', { name: WORDS.en.send }).click();
    await page.getByRole('status').getByText('They exceed the size that can be sent').waitFor();
    await group(page, 5).getByRole('textbox').fill('x');
    await campaign.change({ status: 'inactive' });
    await page.getByRole('button', { name: WORDS.en.send }).click();
    await page.getByRole('status').getByText('It is not taking answers').waitFor();
    expect(await group(page, 5).getByRole('textbox').inputValue()).toBe('x');
    await page.context().close();
  });

  it('without JavaScript what was typed is there when one goes back from a refusal', async () => {
    const page = await open({ viewport: PHONE, javaScriptEnabled: false }, 'en');
    refused = true;
    await answerEverything(page);
    await page.route('**/responses*', (route) => route.fulfill({ status: 429, body: 'wait' }));
    await page.getByRole('button', { name: WORDS.en.send }).click();
    await page.getByText('wait', { exact: true }).waitFor();
    await page.unroute('**/responses*');
    await page.goBack();
    await send(page, 'en');
    await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
    expect(await campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
    await page.context().close();
  });

  it('sends nothing before the answers are sent, and says so', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await open({ viewport: PHONE, javaScriptEnabled }, 'en');
      expect(await page.getByText('This page sends nothing before you press Send').isVisible()).toBe(true);
      await answerEverything(page);
      await page.goto('about:blank');
      await page.context().close();
    }
    expect(posts).toEqual([]);
    expect(await campaign.responses()).toEqual([]);
  });

  it('with JavaScript lets a choice be taken back', async () => {
    const page = await open({ viewport: PHONE }, 'en');
    await group(page, 1).getByRole('radio', { name: '9', exact: true }).check();
    await group(page, 1).getByRole('button', { name: 'Clear' }).click();
    expect(await group(page, 1).locator(':checked').count()).toBe(0);
    await send(page, 'en');
    await page.getByText('You have not answered any question yet').waitFor();
    await page.context().close();
  });

  it('shows the logo of the organization', async () => {
    await campaign.show(BRAND);
    const page = await open({ viewport: PHONE }, 'en');
    await eventually(() =>
      page.locator('.brand img').evaluate((logo: HTMLImageElement) => logo.naturalWidth > 0),
    );
    await page.context().close();
  });

  it('with JavaScript can not be edited while it is sent, and is what it was if it is refused', async () => {
    const page = await open({ viewport: PHONE }, 'en');
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (answer = resolve));
    await page.route('**/responses*', async (route) => {
      await held;
      await route.continue();
    });
    await group(page, 4).getByLabel('Chat').fill('1');
    const rank = group(page, 4).getByLabel('Phone');
    await rank.fill('1');
    const text = group(page, 5).getByRole('textbox');
    await text.fill('before');
    // Enter sends the answers; it does not change the language.
    await rank.press('Enter');
    await page.getByRole('status').getByText('Sending').waitFor();
    await text.pressSequentially(' after', { timeout: 500 }).catch(() => undefined);
    await page.keyboard.type('lost');
    await page
      .locator('.language')
      .click({ timeout: 500, force: true })
      .catch(() => undefined);
    answer();
    await page.getByRole('alert').waitFor();
    expect(await text.inputValue()).toBe('before');
    await rank.fill('2');
    await text.fill('after');
    await send(page, 'en');
    await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
    expect(await campaign.responses()).toMatchObject([
      { answers: { '4': { '41': 1, '42': 2 }, '5': 'after' } },
    ]);
    await page.context().close();
  });

  it.each([true, false])(
    'keeps what was typed when the language is changed, and has it in no address (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const page = await open({ viewport: PHONE, javaScriptEnabled }, 'en');
      await answerEverything(page);
      await group(page, 4).getByLabel('Email').fill('1');
      const bodies: string[] = [];
      page.on('request', (request) => bodies.push(request.postData() ?? ''));
      await page.getByRole('button', { name: 'Tiếng Việt' }).click();
      await page.locator('html[lang="vi"]').waitFor();
      // With JavaScript nothing that was typed is sent.
      expect(bodies.some((body) => body.includes('q5='))).toBe(!javaScriptEnabled);
      // Ids in paths are random.
      expect(requests.filter((url) => /q\d/.test(new URL(url).search))).toEqual([]);
      expect(await campaign.responses()).toEqual([]);
      await send(page, 'vi');
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'English' }).click();
      await page.locator('html[lang="en"]').waitFor();
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
      await group(page, 4).getByLabel('Email').fill('3');
      await send(page, 'en');
      await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
      expect(await campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
      await page.context().close();
    },
  );

  it('with JavaScript keeps what was typed for a question that is removed before the language is changed', async () => {
    const page = await open({ viewport: PHONE }, 'en');
    await group(page, 5).getByRole('textbox').fill('My long story');
    await campaign.change({ survey_questions: QUESTIONS.filter(({ id }) => id !== 5) });
    await page.getByRole('button', { name: 'Tiếng Việt' }).click();
    await page.locator('html[lang="vi"]').waitFor();
    await send(page, 'vi');
    await page.getByRole('alert').getByText('My long story').waitFor();
    await page.context().close();
  });

  it.each([true, false])(
    'chooses the answer that its address names, and starts there (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const page = await open({ viewport: PHONE, javaScriptEnabled }, 'en', '&q7=4#q7');
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
      expect(await campaign.responses()).toMatchObject([{ answers: { '7': '4' } }]);
      await page.context().close();
    },
  );

  it('asks no host but ours, and leaves nothing on the device', async () => {
    const page = await open({ viewport: PHONE }, 'en');
    await answerEverything(page);
    await send(page, 'en');
    expect(requests.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'))).toEqual([]);
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
