import { WebSocket } from 'ws';
import type { TestService } from '@cxp/service-kit/testing';
import type { ServiceProcess } from '@cxp/local-servers';
import { send } from '@cxp/services/http';
import { headersOf, signed } from '@cxp/services/known-route';
import { KNOWN_ROUTES } from '@cxp/services/known-routes';
import {
  ACCOUNT_SESSION_SECRET,
  SERVICES,
  SESSION_TOKEN_SECRET,
  startBuilt,
  webchat,
} from '@cxp/services/service-under-test';
import { createTenant, type Tenant } from '@cxp/services/tenants';
import { accountSession, deniedTokenCalls } from '../src/denied-calls';

const DATABASE_PASSWORD = 'database-password-0123456789';
const REDIS_PASSWORD = 'redis-password-0123456789';

describe.each(SERVICES)('the log of $name, at its most talkative', (service) => {
  const routes = KNOWN_ROUTES.filter((route) => route.service === service);
  let inProcess: TestService;
  let built: ServiceProcess;
  let tenant: Tenant;
  let other: Tenant;
  let secrets: string[];

  beforeAll(async () => {
    inProcess = await service.startInProcess();
    const { DATABASE_URL, REDIS_URL } = inProcess.environment;
    built = await startBuilt(service, {
      ...inProcess.environment,
      // Servers that trust whoever connects do not look at these; what a service might print of them is all the same.
      DATABASE_URL: withPassword(DATABASE_URL!, DATABASE_PASSWORD),
      REDIS_URL: withPassword(REDIS_URL!, REDIS_PASSWORD),
      LOG_LEVEL: 'trace',
    });
    tenant = await createTenant(service, built.url, inProcess.dataSource);
    other = await createTenant(service, built.url, inProcess.dataSource);
    secrets = [
      DATABASE_PASSWORD,
      REDIS_PASSWORD,
      SESSION_TOKEN_SECRET,
      ACCOUNT_SESSION_SECRET,
      tenant.caller.token,
      ...(tenant.sessionToken ? [tenant.sessionToken, tenant.sessionToken.split('.')[2]!] : []),
    ];
  }, 60_000);

  afterAll(async () => {
    await built?.stop();
    await inProcess.stop();
  });

  it('has no secret and no customer’s data in it, whether calls succeed, are refused or fail', async () => {
    const refused = await deniedTokenCalls(inProcess.dataSource, tenant, other);
    const account = await accountSession(tenant);
    secrets.push(account.headers.authorization!.replace('Bearer ', ''));
    const callAll = async () => {
      for (const route of routes) {
        const request = route.request(tenant);
        await send(built.url, signed(route, request, headersOf(route, tenant)));
        await send(built.url, signed(route, request, account.headers));
        for (const { headers } of refused) await send(built.url, signed(route, request, headers));
        const broken = { ...request, body: `{"${tenant.mark}` };
        await send(built.url, signed(route, broken, headersOf(route, tenant)));
      }
    };
    await callAll();
    if (service === webchat) await chat(built.url, tenant);
    await loseTables(inProcess, service.area.schema);
    await callAll();

    const lines = built
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.map(({ level }) => level)).toContain('error');
    expect(built.output()).not.toMatch(new RegExp(secrets.join('|')));
    // Identifiers in paths belong there.
    expect(JSON.stringify(lines.map((line) => ({ ...line, path: undefined })))).not.toContain(tenant.mark);
  }, 60_000);
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

/** Says something over a socket, and something that nobody understands, after a token that nobody knows. */
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
