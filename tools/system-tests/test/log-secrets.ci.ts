import { WebSocket } from 'ws';
import { type Tenant, useBuiltService } from '../src/tenants';
import type { TestService } from '@cxp/service-kit/testing';
import { send } from '../src/http';
import { headersOf, signed, KNOWN_ROUTES } from '../src/known-routes';
import { ACCOUNT_SESSION_SECRET, SERVICES, SESSION_TOKEN_SECRET, webchat } from '../src/service-under-test';
import { accountSession, deniedTokenCalls } from './denied-calls';

const DATABASE_PASSWORD = 'database-password-0123456789';
const REDIS_PASSWORD = 'redis-password-0123456789';

describe.each(SERVICES)('the log of $name, at its most talkative', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  const running = useBuiltService(service, ({ DATABASE_URL, REDIS_URL }) => ({
    // Servers that trust every client do not look at these; what a service might print of them is all the same.
    DATABASE_URL: withPassword(DATABASE_URL!, DATABASE_PASSWORD),
    REDIS_URL: withPassword(REDIS_URL!, REDIS_PASSWORD),
    LOG_LEVEL: 'trace',
  }));
  let secrets: string[];

  beforeAll(() => {
    const { caller, sessionToken } = running.tenant;
    secrets = [
      DATABASE_PASSWORD,
      REDIS_PASSWORD,
      SESSION_TOKEN_SECRET,
      ACCOUNT_SESSION_SECRET,
      caller.token,
      ...(sessionToken ? [sessionToken, sessionToken.split('.')[2]!] : []),
    ];
  });

  it('has no secret and no customer’s data in it, whether calls succeed, are refused or fail', async () => {
    const refused = await deniedTokenCalls(running.inProcess.dataSource, running.tenant, running.other);
    const account = await accountSession(running.tenant);
    secrets.push(account.headers.authorization!.replace('Bearer ', ''));
    const callAll = async () => {
      for (const route of routes) {
        const request = route.request(running.tenant);
        await send(running.built.url, signed(route, request, headersOf(route, running.tenant)));
        await send(running.built.url, signed(route, request, account.headers));
        for (const { headers } of refused) await send(running.built.url, signed(route, request, headers));
        const broken = { ...request, body: `{"${running.tenant.mark}` };
        await send(running.built.url, signed(route, broken, headersOf(route, running.tenant)));
      }
    };
    await callAll();
    if (service === webchat) await chat(running.built.url, running.tenant);
    await loseTables(running.inProcess, service.area.schema);
    await callAll();

    const lines = running.built
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level }) => level)).toContain('error');
    expect(running.built.output()).not.toMatch(new RegExp(secrets.join('|')));
    // Identifiers in paths belong there.
    expect(JSON.stringify(lines.map((line) => ({ ...line, path: undefined })))).not.toContain(
      running.tenant.mark,
    );
  });
});

function withPassword(url: string, password: string): string {
  const changed = new URL(url);
  changed.password = password;
  return changed.href;
}

/** Makes every statement about the area's data fail. */
async function loseTables({ dataSource }: TestService, schema: string): Promise<void> {
  await dataSource.query(`ALTER SCHEMA ${schema} RENAME TO lost`);
}

/** Sends a message and an invalid frame over a socket, after an unknown token. */
async function chat(url: string, { sessionId, sessionToken, mark }: Tenant): Promise<void> {
  const socketUrl = `${url.replace('http', 'ws')}/sessions/${sessionId}`;
  for (const token of [sessionToken, `${sessionToken}x`]) {
    const socket = new WebSocket(socketUrl, ['webchat.v1', `bearer.${token}`]);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => undefined);
    socket.once('message', () => {
      socket.send(JSON.stringify({ type: 'message.send', clientId: 'logged', text: mark }));
      socket.send(`{"${mark}`);
      setTimeout(() => socket.close(), 500);
    });
    await closed;
  }
}
