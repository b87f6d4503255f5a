import { setTimeout as sleep } from 'node:timers/promises';
import { JwtService } from '@nestjs/jwt';
import type { Caller } from '@cxp/service-kit/testing';
import { SocketServer } from '../src/sockets/socket-server';
import { ChatClient, type ConnectOptions } from './chat-client';
import {
  connect,
  openSession,
  sendWithUpgrade,
  session,
  socketUrl,
  useSession,
} from './conversation-service';
import { RawSocket, upgradeRequest } from './raw-socket';
import {
  caller,
  createBody,
  refreshSession,
  service,
  SIGNING_KEY,
  webchatCaller,
  whileLocked,
} from './webchat-service';

const [KEY_ID, SECRET] = SIGNING_KEY.split(':') as [string, string];

useSession();

const open = (options?: ConnectOptions) => ChatClient.open(socketUrl(service, session), options);

/** Lets the sockets' clock stand so many seconds from now. */
function tickIn(seconds: number): void {
  service.app.get(SocketServer).tick(seconds * 1_000);
}

/** The session's token with other claims, signed as the service does. */
function tokenWith(claims: object): string {
  const jwt = new JwtService({ secret: SECRET });
  return jwt.sign({ ...jwt.decode<object>(session.sessionToken), ...claims }, { keyid: KEY_ID });
}

describe('the websocketUrl of a created session takes the sessionToken', () => {
  it.each<[string, (token: string) => Promise<ChatClient>]>([
    ['in Sec-WebSocket-Protocol', (sessionToken) => open({ sessionToken })],
    ['in the authorization header', (token) => open({ headers: { authorization: `Bearer ${token}` } })],
  ])('%s', async (_, connectWith) => {
    const client = await connectWith(session.sessionToken);
    expect(await client.next('session.ready')).toEqual({
      type: 'session.ready',
      sessionId: session.sessionId,
      conversationId: session.conversationId,
      userId: 'u',
      sessionTokenExpiration: session.sessionTokenExpiration,
      lastEvent: 0,
      status: 'open',
      agent: null,
      read: { customer: 0, agent: 0 },
    });
    await client.close();
  });

  it('and answers with the name of the protocol, not with the token', async () => {
    const client = await open({ sessionToken: session.sessionToken });
    expect(client.socket.protocol).toBe('webchat.v1');
    await client.close();
  });

  it('never in the URL', async () => {
    const url = `${socketUrl(service, session)}?sessionToken=${session.sessionToken}`;
    await expect(ChatClient.open(url)).rejects.toThrow('401');
  });
});

// Forged tokens: session-tokens.e2e.ts.
describe('an upgrade is refused with 401', () => {
  const otherSession = async (as: Caller) => (await openSession(service, as, { id: 'other' })).sessionToken;

  const UNKNOWN = ['X-Error-Code: unknown_token'];

  it.each<[string, string[], () => string | undefined | Promise<string>]>([
    ['without a token', ['X-Error-Code: missing_header', 'X-Error-Detail: authorization'], () => undefined],
    ['with a token that is none', UNKNOWN, () => 'x'],
    ['with an API token', UNKNOWN, () => caller.token],
    ['with an expired token', ['X-Error-Code: expired_token'], () => tokenWith({ exp: 1_767_225_600 })],
    ["with another session's token", UNKNOWN, () => otherSession(caller)],
    ["with another organization's token", UNKNOWN, async () => otherSession(await webchatCaller(service))],
  ])('%s', async (_, errorHeaders, token) => {
    const sessionToken = await token();
    await expect(open({ sessionToken })).rejects.toThrow('401');
    const raw = await RawSocket.open(service.url);
    const { pathname } = new URL(session.websocketUrl);
    const header = sessionToken === undefined ? {} : { Authorization: `Bearer ${sessionToken}` };
    raw.write(upgradeRequest(pathname, header));
    await raw.closed;
    expect(raw.text).toMatch(/^HTTP\/1\.1 401 Unauthorized\r\n/);
    const [head, body] = raw.text.split('\r\n\r\n') as [string, string];
    expect(JSON.parse(body)).toEqual({ message: 'Unauthorized', statusCode: 401 });
    expect(head.split('\r\n').filter((line) => line.startsWith('X-Error-'))).toEqual(errorHeaders);
  });
});

it('a token that is presented in time counts, whatever waits before it', async () => {
  const client = await connect(service, session);
  const sql = 'SELECT FROM webchat.conversation WHERE id = $1 FOR UPDATE';
  await whileLocked(service, sql, [session.conversationId], async () => {
    client.sendMessage('c-1');
    await sleep(1_000);
    const { body } = await refreshSession(service, caller, session.sessionId).expect(200);
    client.send({ type: 'authenticate', sessionToken: body.sessionToken });
    expect(await client.next('session.renewed')).toMatchObject({
      sessionTokenExpiration: body.sessionTokenExpiration,
    });
    service.app.get(SocketServer).tick(session.sessionTokenExpiration * 1_000 - Date.now());
  });
  client.sendMessage('c-1');
  expect(await client.next('message.accepted')).toMatchObject({ clientId: 'c-1', event: 1 });
  await client.close();
});

describe('a socket is closed', () => {
  it('for a conversation that is gone, with 4404: then its user gets another session', async () => {
    const lost = await openSession(service, caller, { id: 'lost' });
    await service.dataSource.query('DELETE FROM webchat.conversation WHERE id = $1', [lost.conversationId]);
    const client = await ChatClient.open(socketUrl(service, lost), { sessionToken: lost.sessionToken });
    expect(await client.closed).toEqual([4404, 'Session not found']);
    const next = await openSession(service, caller, { id: 'lost' });
    expect(next.conversationId).not.toBe(lost.conversationId);
    await connect(service, next);
  });

  it('for a session that is gone with 4404, and none of its frames is acted on', async () => {
    expect(await sendWithUpgrade(service, session, 'message.accepted')).toBe(1);
    await service.redis.flushdb();
    expect(await sendWithUpgrade(service, session, 'Session not found')).toBe(1);
    const client = await open({ sessionToken: session.sessionToken });
    expect(await client.closed).toEqual([4404, 'Session not found']);
  });

  it('at its expiry with 4401, and warned 3 minutes before, once', async () => {
    const client = await connect(service, session);
    const left = session.sessionTokenExpiration - Date.now() / 1_000;
    for (const seconds of [181, 180, 100]) {
      tickIn(left - seconds);
      await client.roundTrip();
      expect(client.received('session.expiring')).toHaveLength(seconds === 181 ? 0 : 1);
    }
    tickIn(left);
    expect(await client.closed).toEqual([4401, 'The session token has expired']);
    expect(client.received('session.expiring')).toEqual([
      { type: 'session.expiring', sessionTokenExpiration: session.sessionTokenExpiration },
    ]);
  });
});

describe('a refreshed token in a frame', () => {
  it('keeps the socket open until it expires itself, and the warning comes again', async () => {
    const client = await connect(service, session);
    const before = session.sessionTokenExpiration;
    const sessionToken = tokenWith({ exp: before + 600 });
    tickIn(before - Date.now() / 1_000 - 1);
    client.send({ type: 'authenticate', sessionToken });
    expect(await client.next('session.renewed')).toEqual({
      type: 'session.renewed',
      sessionTokenExpiration: before + 600,
    });
    tickIn(before - Date.now() / 1_000 + 1);
    client.sendMessage('c-1');
    await client.next('message.accepted');
    tickIn(before - Date.now() / 1_000 + 500);
    await client.roundTrip();
    tickIn(before - Date.now() / 1_000 + 600);
    expect(await client.closed).toEqual([4401, 'The session token has expired']);
    expect(client.received('session.expiring')).toHaveLength(2);
  });

  it.each<[string, () => string | Promise<string>]>([
    ['that is not valid', () => 'x'],
    ['that has expired', () => tokenWith({ exp: 1_767_225_600 })],
    ['of another session', async () => (await openSession(service, caller, { id: 'other' })).sessionToken],
  ])('%s is refused, and the socket stays as it was', async (_, token) => {
    const client = await connect(service, session);
    client.send({ type: 'authenticate', clientId: 'c', sessionToken: await token() });
    expect(await client.next('error')).toMatchObject({ code: 'token_refused', clientId: 'c' });
    client.sendMessage('c-1');
    await client.next('message.accepted');
    await client.close();
  });
});

describe('an upgrade elsewhere', () => {
  it.each([
    ['/', 302],
    ['/sessions', 404],
    ['/sessions/', 404],
    ['/sessions/a/b', 404],
    ['/sessions/a%20b', 404],
    ['/external/sessions', 405],
    ['/health/live', 200],
  ])('to %s is answered %i, as without it', async (path, status) => {
    const client = ChatClient.open(service.url.replace('http', 'ws') + path);
    await expect(client).rejects.toThrow(String(status));
  });

  it('that offers HTTP/2 with a body creates a session', async () => {
    const body = JSON.stringify(createBody(caller));
    const raw = await RawSocket.open(service.url);
    const headers = Object.entries(caller.headers).map(([name, value]) => `${name}: ${value}`);
    const lines = [
      'POST /external/sessions HTTP/1.1',
      'Host: test',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABk',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ];
    raw.write([...lines, ...headers, '', body].join('\r\n'));
    await raw.until((text) => text.includes('sessionToken'));
    expect(raw.text).toMatch(/^HTTP\/1\.1 201 /);
    raw.write('GET /health/live HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
    await raw.closed;
    expect(raw.text.match(/HTTP\/1\.1 20[01] /g)).toHaveLength(2);
  });
});

describe('a handshake that is not one of websockets', () => {
  it.each<[string, string, Parameters<typeof upgradeRequest>[1]]>([
    ['a key that is too short', 'GET', { 'Sec-WebSocket-Key': 'x' }],
    ['version 12', 'GET', { 'Sec-WebSocket-Version': '12' }],
    ['another protocol to upgrade to', 'GET', { Upgrade: 'h2c' }],
    ['a subprotocol that is no token', 'GET', { 'Sec-WebSocket-Protocol': 'b(a)d' }],
    ['another method', 'POST', {}],
  ])('is 400 once, in the envelope of the area: %s', async (_, method, headers) => {
    const raw = await RawSocket.open(service.url);
    const { pathname } = new URL(session.websocketUrl);
    const authorization = `Bearer ${session.sessionToken}`;
    raw.write(upgradeRequest(pathname, { 'X-Request-Id': 'r-1', authorization, ...headers }, method));
    await raw.closed;
    const [head, ...bodies] = raw.text.split('\r\n\r\n') as [string, ...string[]];
    expect(head.split('\r\n')).toEqual(
      expect.arrayContaining([
        'HTTP/1.1 400 Bad Request',
        'Content-Type: application/json; charset=utf-8',
        'X-Request-Id: r-1',
        'X-Error-Code: malformed_request',
        'X-Content-Type-Options: nosniff',
        'Sec-WebSocket-Version: 13',
      ]),
    );
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      { message: expect.any(String), statusCode: 400 },
    ]);
  });
});
