import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { accessDatabase } from '@cxp/auth-headers';
import { CxpClient } from '@cxp/client';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { freePort } from '@cxp/testing/local-servers';
import { type Caller, issueTestToken, startTestService, type TestService } from '@cxp/service-kit/testing';
import { migrate, openDatabase } from '@cxp/storage';
import { createTestDatabase, findChromium, needs, type TestDatabase } from '@cxp/testing';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { AppModule as WebchatModule } from '@cxp/webchat-gateway/app.module';
import {
  type Certificate,
  prepareCertificate,
  type SampleBackend,
  startSampleBackend,
} from '../src/sample-backend/sample-backend';

const executablePath = findChromium();
const { describe: withChromium } = needs('chromium', executablePath);

const KEY = '0123456789abcdef0123456789abcdef';

let directory: string;
let certificate: Certificate;
let database: TestDatabase;
let service: TestService;
let contactCenter: TestService;
let caller: Caller;
let port: number;
let backend: SampleBackend;
let origin: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-chat-page-'));
  certificate = await prepareCertificate(directory);
  port = await freePort();
  origin = `https://localhost:${port}`;
  // One token works for both services.
  database = await createTestDatabase([accessDatabase, webchatDatabase, contactCenterDatabase], migrate);
  const environment = { ...database.serviceEnvironment, SERVICE_TOKEN_KEYS: `current:${KEY}` };
  contactCenter = await startTestService(ContactCenterModule, contactCenterDatabase, environment);
  service = await startTestService(WebchatModule, webchatDatabase, {
    ...environment,
    CONTACT_CENTER_RECORDS_URL: `${contactCenter.url}/internal/records`,
    WEBCHAT_WEBSOCKET_URL: `wss://localhost:${port}/websocket`,
    WEBCHAT_SESSION_TOKEN_KEYS: `current:${KEY}`,
  });
  const administrator = await openDatabase(database.url, [accessDatabase]);
  caller = await issueTestToken(administrator);
  await administrator.destroy();
  await post('/internal/records', { type: 'installed_source', data: { id: 1, name: 'Website' } });
  backend = await startBackend();
});
afterAll(async () => {
  await backend.close();
  await service.stop();
  await contactCenter.stop();
  await database.drop();
  rmSync(directory, { recursive: true });
});

it('leads the websocketUrl to the gateway as it is returned, and everything else that is not its own', async () => {
  const session = (await (
    await post('/external/sessions', { organizationId: caller.organizationId, installedSourceId: 1 })
  ).json()) as { websocketUrl: string; sessionToken: string };
  const ca = readFileSync(certificate.cert);
  const socket = new WebSocket(session.websocketUrl, ['webchat.v1', `bearer.${session.sessionToken}`], {
    ca,
  });
  const frame = await new Promise((resolve) => socket.once('message', resolve));
  expect(JSON.parse(String(frame))).toMatchObject({ type: 'session.ready' });
  socket.close();

  expect(await statusOf('/health/ready', ca)).toBe(200);
  expect(await statusOf('/demo', ca)).toBe(200);
  expect(await statusOf('/demo/none', ca)).toBe(404);
});

withChromium('the chat page', () => {
  let browser: Browser;
  let page: Page;
  const problems: string[] = [];

  beforeAll(async () => {
    // Chromium's own sandbox refuses to work for root.
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const context = await browser.newContext({ ignoreHTTPSErrors: true });
    page = await context.newPage();
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      // Chromium reports a cut stream, and each attempt to connect while the backend is away.
      const isExpected =
        /WebSocket connection to|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_REFUSED/.test(message.text());
      if (message.type() === 'error' && !isExpected) problems.push(message.text());
    });
  });
  afterAll(() => browser.close());

  const texts = (sender: string) => page.locator(`.message[data-sender="${sender}"]:not([data-pending])`);
  const conversationId = () => page.locator('#facts dd').nth(1).textContent({ timeout: 5_000 });
  const isOnline = () => page.locator('#status[data-state="open"]').waitFor();

  it('opens, and connects to the websocketUrl', async () => {
    await page.goto(`${origin}/demo`);
    await isOnline();
  });

  it('explains an example until an agent takes the chat', async () => {
    await page.locator('#which option:checked').getByText('An example').waitFor({ state: 'attached' });
  });

  it('sends what the customer writes', async () => {
    await page.getByLabel('Message').fill('Xin chào 👋');
    await page.getByRole('button', { name: 'Send' }).click();
    await texts('customer').getByText('Xin chào 👋').waitFor();
  });

  it("shows the answer of the platform's agent at once", async () => {
    await agentSays((await conversationId())!, 'How can I help?');
    await texts('agent').getByText('How can I help?').waitFor();
    expect(await texts('agent').locator('small').textContent()).toMatch(/^Ann · /);
  });

  it('shows who has the conversation', async () => {
    await page.getByText('Nobody is here yet').waitFor();
    await page.getByRole('button', { name: 'Take the conversation' }).click();
    await page.getByText('Ann joined the conversation').waitFor();
    await page.getByText('Ann is here').waitFor();
    await page.locator('#which option:checked').getByText('This chat').waitFor({ state: 'attached' });
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
    await page.getByText('The conversation has ended').waitFor();
    expect(await page.getByRole('button', { name: 'End the conversation' }).isDisabled()).toBe(true);
    expect(await page.getByRole('textbox', { name: 'Answer' }).isDisabled()).toBe(true);
  });

  it('asks for a rating, once', async () => {
    await page.getByRole('button', { name: 'Ask for a rating' }).click();
    await page.getByLabel('4 ★').check();
    await page.getByLabel('Feedback').fill('Quick and friendly');
    await page.getByRole('button', { name: 'Rate' }).click();
    await page.getByText('You rated this chat ★★★★☆: Quick and friendly').waitFor();
    expect(await page.locator('#rate').isVisible()).toBe(false);
  });

  it('shows the row of the chat in the export, with the rating', async () => {
    await page.locator('#rows').getByText('Quick and friendly').waitFor({ state: 'attached' });
    const { organizationId, token } = caller;
    const cxp = new CxpClient({ organizationId, token, urls: { contactCenter: contactCenter.url } });
    const [row] = await cxp.conversationSessions.ofConversation((await conversationId())!);
    expect(row).toMatchObject({ sessionAgentName: 'Ann', rating: 4, feedback: 'Quick and friendly' });
    const [names, values] = await Promise.all(
      ['dt', 'dd'].map((tag) => page.locator(`#rows ${tag}`).allTextContents()),
    );
    expect(names).toContain('rating');
    expect(values).toEqual(names!.map((name) => String(row![name as keyof typeof row] ?? '–')));
  });

  it('shows why the figures of the row are what they are', async () => {
    await page.getByRole('heading', { name: /^Why \d+\s(s|min)/ }).waitFor();
    const explanation = page.locator('#rows .explanation').first();
    await explanation.getByText('times in Asia/Singapore').waitFor();
    for (const name of ['Waiting', 'First response', 'Until solved']) {
      await explanation.getByRole('heading', { name }).waitFor();
      await explanation
        .getByRole('img', { name: new RegExp(`^${name}: no business hours are known from `) })
        .waitFor();
    }
    expect(await explanation.getByText('From “Agent assigned” to “First answer”.').count()).toBe(1);
    expect(await explanation.getByText('From “Handed to the team” to “First answer”.').count()).toBe(1);
    expect(await explanation.getByText('assign opens a session').isVisible()).toBe(false);
    await explanation.getByText('The row of the export').focus();
    await page.keyboard.press('Enter');
    await explanation.getByText('assign opens a session').waitFor();
  });

  it('finds conversations by id and customer, from its field and its address', async () => {
    const id = (await conversationId())!;
    const chosen = () => page.locator('#which option:checked');
    const find = async (text: string) => {
      await page.getByLabel('Id or customer').fill(text);
      await page.getByRole('button', { name: 'Find' }).click();
    };
    await find('demo cust');
    await chosen().getByText(`Demo customer, ${id}`).waitFor({ state: 'attached' });
    await find('nobody');
    await page.getByText('The export has no conversation nobody').waitFor();
    await page.goto(`${origin}/demo?conversation=${'x'.repeat(256)}`);
    await page.getByText(`no conversation ${'x'.repeat(255)}: a chat arrives there with its first`).waitFor();
    await page.goto(`${origin}/demo?conversation=${id}`);
    await chosen().getByText(id).waitFor({ state: 'attached' });
    await page.locator('#rows').getByText('Quick and friendly').waitFor({ state: 'attached' });
    await page.goto(`${origin}/demo`);
  });

  it('has the history after a reload, each message once and in order', async () => {
    await page.reload();
    await isOnline();
    const shown = await page
      .locator('.message')
      .evaluateAll((all) => all.map(({ firstChild }) => firstChild?.textContent));
    expect(shown).toEqual(['Xin chào 👋', 'How can I help?', 'One moment']);
    const notes = await page.locator('.activity').allTextContents();
    expect(notes).toEqual([
      'The bot handed the chat to the team',
      'Ann joined the conversation',
      'Ann ended the conversation',
      'Ann asked for a rating',
      'You rated this chat ★★★★☆: Quick and friendly',
    ]);
    await page.getByText('The conversation has ended').waitFor();
  });

  it('is open again when the agent takes it', async () => {
    await page.getByRole('button', { name: 'Take the conversation' }).click();
    await page.getByLabel('Message').waitFor();
    expect(await page.getByRole('button', { name: 'Start another one' }).isVisible()).toBe(false);
  });

  it('goes on after its network was pulled: what both sides wrote meanwhile is there, once and in order', async () => {
    await page.getByRole('button', { name: 'Pull the customer’s network' }).click();
    await page.getByText('Connecting again…').waitFor();
    await page.getByLabel('Answer').fill('Can you hear me?');
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await page.getByLabel('Message').fill('My network was gone');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('[data-pending]').getByText('My network was gone').waitFor();
    expect(await texts('agent').getByText('Can you hear me?').count()).toBe(0);

    await page.getByRole('button', { name: 'Plug the customer’s network in again' }).click();
    await isOnline();
    await texts('customer').getByText('My network was gone').waitFor();
    const shown = await page
      .locator('.message')
      .evaluateAll((all) => all.map(({ firstChild }) => firstChild?.textContent));
    expect(shown.slice(-2)).toEqual(['Can you hear me?', 'My network was gone']);
  });

  it('gives another customer a chat of their own', async () => {
    await page.getByRole('button', { name: 'New customer' }).click();
    await isOnline();
    expect(await page.locator('.message').count()).toBe(0);
    await page.getByText('Nobody is here yet').waitFor();
    await page.getByRole('button', { name: 'Ask for a rating' }).click();
    await page.getByText('Your rating is awaited').waitFor();
    expect(await page.getByText('Nobody is here yet').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('has no fault that axe finds (%s)', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.getByLabel('Message').fill('Hello');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Ask for a rating' }).click();
    await page.locator('#rate').waitFor();
    await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const violations = await page.evaluate(async () => {
      const { axe } = globalThis as unknown as { axe: { run(): Promise<{ violations: AxeViolation[] }> } };
      return (await axe.run()).violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]);
    });
    expect(violations).toEqual([]);
  });

  it('fits a phone', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it('keeps no token in the browser, and has no errors', async () => {
    const { origins } = await page.context().storageState();
    expect(JSON.stringify(origins)).toMatch(/userId/);
    expect(JSON.stringify(origins)).not.toMatch(/cxp_|eyJ/);
    expect(problems).toEqual([]);
  });
});

function startBackend(): Promise<SampleBackend> {
  const { organizationId, token } = caller;
  const urls = { webchat: service.url, contactCenter: contactCenter.url };
  const examples = [{ id: 'example', title: 'An example' }];
  return startSampleBackend({
    urls,
    organizationId,
    token,
    installedSourceId: 1,
    certificate,
    examples,
    port,
  });
}

function post(path: string, body: object): Promise<Response> {
  const type = path.endsWith('records') ? 'application/x-ndjson' : 'application/json';
  return fetch(service.url + path, {
    method: 'POST',
    headers: { ...caller.headers, 'content-type': type },
    body: JSON.stringify(body),
  });
}

async function agentSays(conversationId: string, text: string): Promise<void> {
  const message = { id: randomUUID(), senderType: 'agent', senderName: 'Ann', text };
  expect((await post(`/internal/conversations/${conversationId}/messages`, message)).status).toBe(200);
}

function statusOf(path: string, ca: Buffer) {
  return new Promise<number | undefined>((resolve, reject) => {
    get({ host: 'localhost', port, path, ca }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: { readonly html: string }[];
}
