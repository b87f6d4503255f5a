import { chromium, type Browser, type Page } from 'playwright-core';
import request from 'supertest';
import type { TestService } from '@cxp/service-kit/testing';
import { freePort } from '@cxp/testing';
import { OpenSockets } from '../src/sockets/open-sockets';
import { createCertificate, type TestCertificate } from './certificate';
import { findChromium } from './chromium';
import { agentMessage, postToConversation } from './conversation-service';
import { startWebchat } from './webchat-service';

const executablePath = findChromium();
const withChromium = executablePath ? describe : describe.skip;

let service: TestService;
let certificate: TestCertificate;
let origin: string;

beforeAll(async () => {
  certificate = await createCertificate();
  const port = await freePort();
  origin = `https://localhost:${port}`;
  service = await startWebchat({
    WEBCHAT_WEBSOCKET_URL: `wss://localhost:${port}/sessions`,
    WEBCHAT_TLS_PORT: String(port),
    WEBCHAT_DEMO_ORGANIZATION: 'demo',
    ...certificate.settings,
  });
});
afterAll(async () => {
  await service.stop();
  certificate.remove();
});

it('/demo is not there unless a setting names its organization', async () => {
  const { DATABASE_URL, REDIS_URL } = service.environment;
  const other = await startWebchat({ DATABASE_URL: DATABASE_URL!, REDIS_URL: REDIS_URL! });
  await request(other.url).get('/demo').expect(404);
  await request(other.url).post('/demo/session').send({ userId: 'u' }).expect(404);
  await other.stop();
});

it('/demo without TLS leads to the page whose certificate is the one of the socket', async () => {
  const { headers } = await request(service.url).get('/demo').expect(302);
  expect(headers.location).toBe(`${origin}/demo`);
});

withChromium('the demo page', () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    // Chromium's own sandbox refuses to work for root.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  }, 60_000);
  afterAll(() => browser.close());

  const texts = (sender: string) => page.locator(`.message[data-sender="${sender}"]:not([data-pending])`);
  const conversationId = () => page.locator('#facts dd').nth(1).textContent();
  const isOnline = () => page.locator('#status[data-state="open"]').waitFor();

  it('opens, and connects to the websocketUrl', async () => {
    await page.goto(`${origin}/demo`);
    await isOnline();
  });

  it('sends what the customer writes', async () => {
    await page.getByLabel('Message').fill('Xin chào 👋');
    await page.getByRole('button', { name: 'Send' }).click();
    await texts('customer').getByText('Xin chào 👋').waitFor();
  });

  it("shows the answer of the platform's agent at once", async () => {
    const caller = await service.caller({ organizationId: 'demo' });
    const answer = agentMessage('m-1', 'How can I help?');
    await postToConversation(service, caller, (await conversationId())!, 'messages', answer).expect(200);
    await texts('agent').getByText('How can I help?').waitFor();
    expect(await texts('agent').locator('small').textContent()).toMatch(/^Ann · /);
  });

  it('lets its visitor be the agent: typing, an answer, that it was read, the end of the conversation', async () => {
    await page.getByLabel('Answer').pressSequentially('One moment');
    await page.getByText('Ann is typing…').waitFor();
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await texts('agent').getByText('One moment').waitFor();
    await page.getByText('Ann is typing…').waitFor({ state: 'hidden' });
    await texts('customer').getByText('Read').waitFor();
    await page.getByRole('button', { name: 'End the conversation' }).click();
    await page.getByText('Ann ended the conversation').waitFor();
  });

  it('has the history after a reload, each message once and in order', async () => {
    await page.reload();
    await isOnline();
    const shown = await page
      .locator('.message')
      .evaluateAll((all) => all.map(({ firstChild }) => firstChild?.textContent));
    expect(shown).toEqual(['Xin chào 👋', 'How can I help?', 'One moment']);
  });

  it('goes on after its connection was lost, and misses nothing', async () => {
    const sockets = service.app.get(OpenSockets);
    // No client can answer a ping between these two moments.
    for (const seconds of [31, 62]) sockets.tick(Date.now() + seconds * 1_000);
    await page.getByText('Connecting again…').waitFor();
    const caller = await service.caller({ organizationId: 'demo' });
    const missed = agentMessage('m-2', 'Are you there?');
    await postToConversation(service, caller, (await conversationId())!, 'messages', missed).expect(200);
    await isOnline();
    await texts('agent').getByText('Are you there?').waitFor();
  });

  it('gives another customer a chat of their own', async () => {
    await page.getByRole('button', { name: 'New customer' }).click();
    await isOnline();
    expect(await page.locator('.message').count()).toBe(0);
  });

  it('keeps no token in the browser, and has no errors', async () => {
    const { origins } = await page.context().storageState();
    expect(JSON.stringify(origins)).toMatch(/userId/);
    expect(JSON.stringify(origins)).not.toMatch(/cxp_|eyJ/);
    expect(problems).toEqual([]);
  });
});
