import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import {
  ChatError,
  ChatSocket,
  type ChatSocketOptions,
  type CreatedSession,
  CxpClient,
  CxpError,
  type Message,
} from '@cxp/client';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { eventually, runs, seededRandom } from '@cxp/testing';
import { importRecords, postJson, record, send } from '../src/http';
import { webchat } from '../src/service-under-test';
import { FaultyProxy } from '@cxp/testing/local-servers';

jest.setTimeout(120_000);

let service: TestService;
let caller: Caller;
let proxy: FaultyProxy;
let cxp: CxpClient;
let chat: ChatSocket | undefined;

beforeAll(async () => {
  service = await webchat.startInProcess();
  caller = await service.caller();
  await importRecords(service.url, caller, [record('installed_source', { id: 1, name: 'Website' })]);
  proxy = await FaultyProxy.before(service.url);
});
beforeEach(() => {
  const { organizationId, token } = caller;
  cxp = new CxpClient({ organizationId, token, urls: { webchat: service.url } });
});
afterEach(() => chat?.close());
afterAll(async () => {
  await proxy.close();
  await service.stop();
});

const NETWORKS = Array.from({ length: runs(2) }, (_, network) => network);

it.each(NETWORKS)('loses and doubles nothing over a bad network (%d)', async (network) => {
  const random = seededRandom(`network ${network}`);
  const next = (below: number) => Math.floor(random() * below);
  const session = await cxp.sessions.create({ installedSourceId: 1, user: { id: randomUUID() } });
  const shown: Message[] = [];
  chat = open(session, { position: { lastEvent: 0 } });
  chat.on('message', ({ message }) => shown.push(message));

  let isOver = false;
  const faults = (async () => {
    while (!isOver) {
      await sleep(20 + next(120));
      const fault = next(3);
      if (fault === 0) proxy.cut();
      if (fault === 1) proxy.swallow();
      if (fault === 2) proxy.delay(next(200));
      await sleep(next(300));
      proxy.heal();
    }
  })();

  const sent: string[] = [];
  const answered: string[] = [];
  const customer = (async () => {
    const acknowledged: Promise<unknown>[] = [];
    for (let i = 0; i < 40; i += 1) {
      const text = `customer ${i}`;
      sent.push(text);
      acknowledged.push(chat.sendMessage(text));
      await sleep(next(60));
    }
    await Promise.all(acknowledged);
  })();
  const agent = (async () => {
    for (let i = 0; i < 40; i += 1) {
      const text = `agent ${i}`;
      answered.push(text);
      const message = { id: randomUUID(), senderType: 'agent', senderName: 'Ann', text };
      const path = `/internal/conversations/${session.conversationId}/messages`;
      expect((await send(service.url, postJson(path, caller, message))).status).toBe(200);
      await sleep(next(60));
    }
  })();
  await Promise.all([customer, agent]);
  isOver = true;
  await faults;
  await until(() => shown.length >= sent.length + answered.length);

  const texts = (type: string) =>
    shown.filter(({ senderType }) => senderType === type).map(({ text }) => text);
  expect(texts('customer')).toEqual(sent);
  expect(texts('agent')).toEqual(answered);
});

it('notices a connection that is lost without a sign', async () => {
  chat = open(await cxp.sessions.create({ installedSourceId: 1, user: { id: randomUUID() } }));
  await until(() => chat!.status === 'open');
  proxy.swallow();
  await until(() => chat!.status === 'connecting');
  proxy.heal();
  await until(() => chat!.status === 'open');
});

it('connects at once when a browser announces that its network is back', async () => {
  const browser = new EventTarget();
  Object.assign(globalThis, {
    addEventListener: browser.addEventListener.bind(browser),
    removeEventListener: browser.removeEventListener.bind(browser),
  });
  let attempts = 0;
  let losses = 0;
  class CountedSocket extends WebSocket {
    constructor(url: string, protocols: string[]) {
      super(url, protocols);
      attempts += 1;
      this.on('close', () => (losses += 1));
    }
  }
  const session = await cxp.sessions.create({ installedSourceId: 1, user: { id: randomUUID() } });
  const nowhere = { ...session, websocketUrl: 'ws://127.0.0.1:1/websocket' };
  chat = open(nowhere, { WebSocket: CountedSocket });
  await until(() => losses === 5); // The next attempt is two to four seconds away.
  browser.dispatchEvent(new Event('online'));
  expect(attempts).toBe(6);
  browser.dispatchEvent(new Event('online'));
  expect(attempts).toBe(6);
});

describe('the session token', () => {
  const TTL_SECONDS = 3;
  let shortLived: TestService;
  let session: CreatedSession;
  beforeAll(async () => {
    const { DATABASE_URL, REDIS_URL } = service.environment;
    shortLived = await webchat.startInProcess({
      DATABASE_URL: DATABASE_URL!,
      REDIS_URL: REDIS_URL!,
      WEBCHAT_SESSION_TTL_SECONDS: String(TTL_SECONDS),
    });
  });
  afterAll(() => shortLived.stop());
  beforeEach(async () => {
    const { organizationId, token } = caller;
    cxp = new CxpClient({ organizationId, token, urls: { webchat: shortLived.url } });
    session = await cxp.sessions.create({ installedSourceId: 1, user: { id: randomUUID() } });
  });
  const direct = () => ({ ...session, websocketUrl: socketUrl(shortLived.url, session) });

  it('is renewed before it expires: the connection stays', async () => {
    const statuses: string[] = [];
    let renewals = 0;
    chat = open(direct(), {
      renewToken: (sessionId) => {
        renewals += 1;
        return cxp.sessions.refresh(sessionId);
      },
    });
    chat.on('status', (status) => statuses.push(status));
    await until(() => renewals >= 3);
    expect(statuses).toEqual(['open']);
  });

  it('that is not one of the session is replaced by one that is', async () => {
    chat = open({ ...direct(), sessionToken: 'wrong' });
    expect(await chat.sendMessage('stored')).toMatchObject({ event: 1 });
  });
});

it('refuses what the server would refuse, and passes its refusals on', async () => {
  chat = open(await cxp.sessions.create({ installedSourceId: 1, user: { id: randomUUID() } }));
  await expect(chat.sendMessage('  ')).rejects.toThrow(CxpError);
  await expect(chat.sendMessage('x'.repeat(4_001))).rejects.toThrow(CxpError);
  await expect(chat.sendMessage('x', 'x'.repeat(65))).rejects.toThrow(CxpError);
  await expect(chat.sendMessage('x', '')).rejects.toThrow(CxpError);
  await expect(chat.sendMessage('\0')).rejects.toThrow(ChatError);
  await chat.sendMessage('👋'.repeat(4_000));
});

it('does not take the refusal of another frame for that of its message', async () => {
  chat = open(await cxp.sessions.create({ installedSourceId: 1, user: { id: randomUUID() } }));
  await until(() => chat!.status === 'open');
  const message = chat.sendMessage('stored');
  chat.read(-1);
  expect(await message).toMatchObject({ event: 1 });
});

/** A session's `websocketUrl` where a server without TLS listens. */
function socketUrl(serverUrl: string, { websocketUrl }: CreatedSession): string {
  return new URL(new URL(websocketUrl).pathname, serverUrl.replace('http', 'ws')).href;
}

/** Opens a chat by way of the proxy, unless the session says otherwise, that notices losses soon. */
function open(session: CreatedSession, options: Partial<ChatSocketOptions> = {}): ChatSocket {
  const isOverProxy = session.websocketUrl.startsWith('wss:');
  const websocketUrl = isOverProxy ? socketUrl(proxy.url, session) : session.websocketUrl;
  return new ChatSocket(
    { ...session, websocketUrl },
    {
      renewToken: (sessionId) => cxp.sessions.refresh(sessionId),
      WebSocket,
      ...(isOverProxy && { acknowledgementMs: 1_000, silenceMs: 1_000 }),
      ...options,
    },
  );
}

async function until(isTrue: () => boolean): Promise<void> {
  await eventually(isTrue, 60_000);
}
