import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { ANSWERS, BRAND, QUESTIONS } from './survey-page';
import {
  accessibilityFaults,
  answerEverything,
  DESK,
  group,
  inChromium,
  PHONE,
  send,
  WORDS,
} from './survey-page-browser';

/** The page sends answers again by itself. */
const AGAIN = 'Your answers are still on this page';

inChromium('answers to the survey page in Chromium', (pages) => {
  it.each<[what: string, javaScriptEnabled: boolean]>([
    ['with JavaScript', true],
    ['without JavaScript', false],
  ])('is answered with the keyboard only, %s', async (_, javaScriptEnabled) => {
    const page = await pages.open({ viewport: DESK, javaScriptEnabled }, 'en');
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
    const [response] = await pages.campaign.responses();
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

  it.each<[what: string, says: string, refuse: (route: Route) => Promise<void>]>([
    ['the network fails', AGAIN, (route) => route.abort()],
    ['the answer is a 429', AGAIN, (route) => route.fulfill({ status: 429 })],
    ['the answer is a 503', AGAIN, (route) => route.fulfill({ status: 503 })],
    ['the answer is a 500', 'there was an error on our side', (route) => route.fulfill({ status: 500 })],
  ])('with JavaScript, if %s, keeps everything and says: %s', async (_, says, refuse) => {
    const page = await pages.open({ viewport: PHONE }, 'en');
    pages.refused = true;
    await answerEverything(page);
    await page.route('**/responses*', refuse);
    await page.getByRole('button', { name: WORDS.en.send }).click();
    await page.getByRole('status').getByText(says).waitFor();
    expect(await pages.campaign.responses()).toEqual([]);
    await page.unroute('**/responses*');
    if (says !== AGAIN) {
      // It would be sent again by itself after two seconds.
      await sleep(2_500);
      expect(pages.posts).toHaveLength(1);
      await page.getByRole('button', { name: WORDS.en.send }).click();
    }
    await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
    expect(await pages.campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
    await page.context().close();
  });

  it.each([null, BRAND])(
    'with JavaScript says why answers are not accepted, and keeps them (brand: %j)',
    async (brand) => {
      await pages.campaign.show(brand);
      const page = await pages.open({ viewport: PHONE }, 'en');
      const [text, submit] = [
        group(page, 5).getByRole('textbox'),
        page.getByRole('button', { name: WORDS.en.send }),
      ];
      await text.fill('x'.repeat(70_000));
      await submit.click();
      await page.getByRole('status').getByText('Your answers are too long. They exceed the size').waitFor();
      await text.fill('x');
      await pages.campaign.change({ status: 'inactive' });
      const says = page.getByRole('status').getByText(/^This survey is closed\. It is not taking answers/);
      await submit.click();
      await says.waitFor();
      // Another attempt would end in the same way.
      expect(await submit.isVisible()).toBe(false);
      expect(await says.evaluate((status) => status === document.activeElement)).toBe(true);
      expect(await text.inputValue()).toBe('x');
      expect(await accessibilityFaults(page)).toEqual([]);
      const sent = pages.posts.length;
      await group(page, 4).getByLabel('Chat').press('Enter');
      await sleep(300);
      expect(pages.posts).toHaveLength(sent);
      await page.getByRole('button', { name: 'Tiếng Việt' }).click();
      await page.getByText(/^Khảo sát đã đóng\. Khảo sát này hiện không nhận/).waitFor();
      await page.context().close();
    },
  );

  it('without JavaScript what was typed is there when one goes back from a refusal', async () => {
    const page = await pages.open({ viewport: PHONE, javaScriptEnabled: false }, 'en');
    pages.refused = true;
    await answerEverything(page);
    await page.route('**/responses*', (route) => route.fulfill({ status: 429, body: 'wait' }));
    await page.getByRole('button', { name: WORDS.en.send }).click();
    await page.getByText('wait', { exact: true }).waitFor();
    await page.unroute('**/responses*');
    await page.goBack();
    await send(page, 'en');
    await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
    expect(await pages.campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
    await page.context().close();
  });

  it('sends nothing before the answers are sent, and says so', async () => {
    for (const javaScriptEnabled of [true, false]) {
      const page = await pages.open({ viewport: PHONE, javaScriptEnabled }, 'en');
      expect(await page.getByText('This page sends nothing before you press Send').isVisible()).toBe(true);
      await answerEverything(page);
      await page.goto('about:blank');
      await page.context().close();
    }
    expect(pages.posts).toEqual([]);
    expect(await pages.campaign.responses()).toEqual([]);
  });

  it('with JavaScript can not be edited while it is sent, and is what it was if it is refused', async () => {
    const page = await pages.open({ viewport: PHONE }, 'en');
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
    expect(await pages.campaign.responses()).toMatchObject([
      { answers: { '4': { '41': 1, '42': 2 }, '5': 'after' } },
    ]);
    await page.context().close();
  });

  it.each([true, false])(
    'keeps what was typed when the language is changed, and has it in no address (JavaScript: %s)',
    async (javaScriptEnabled) => {
      const page = await pages.open({ viewport: PHONE, javaScriptEnabled }, 'en');
      await answerEverything(page);
      await group(page, 4).getByLabel('Email').fill('1');
      const bodies: string[] = [];
      page.on('request', (request) => bodies.push(request.postData() ?? ''));
      await page.getByRole('button', { name: 'Tiếng Việt' }).click();
      await page.locator('html[lang="vi"]').waitFor();
      // With JavaScript nothing that was typed is sent.
      expect(bodies.some((body) => body.includes('q5='))).toBe(!javaScriptEnabled);
      // Ids in paths are random.
      expect(pages.requests.filter((url) => /q\d/.test(new URL(url).search))).toEqual([]);
      expect(await pages.campaign.responses()).toEqual([]);
      await send(page, 'vi');
      await page.getByRole('alert').waitFor();
      await page.getByRole('button', { name: 'English' }).click();
      await page.locator('html[lang="en"]').waitFor();
      if (javaScriptEnabled) expect(await accessibilityFaults(page)).toEqual([]);
      await group(page, 4).getByLabel('Email').fill('3');
      await send(page, 'en');
      await page.getByRole('heading', { name: WORDS.en.thanks }).waitFor();
      expect(await pages.campaign.responses()).toMatchObject([{ answers: ANSWERS }]);
      await page.context().close();
    },
  );

  it('with JavaScript keeps what was typed for a question that is removed before the language is changed', async () => {
    const page = await pages.open({ viewport: PHONE }, 'en');
    await group(page, 5).getByRole('textbox').fill('My long story');
    await pages.campaign.change({ survey_questions: QUESTIONS.filter(({ id }) => id !== 5) });
    await page.getByRole('button', { name: 'Tiếng Việt' }).click();
    await page.locator('html[lang="vi"]').waitFor();
    await send(page, 'vi');
    await page.getByRole('alert').getByText('My long story').waitFor();
    await page.context().close();
  });
});
