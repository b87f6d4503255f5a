import { existsSync, mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { WebSocket } from 'ws';
import { freePort, type GuardedProcess, startPostgres, waitUntilReady } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { createTestDatabase, createTestRedis } from '@cxp/testing';
import type { DemoFacts } from '../src/running-stack';
import { services } from '@cxp/areas/services';
import { commandOf, descendants, freePorts, living, serveApp, startStack } from './stack-process';

const START_TIMEOUT_MS = 120_000;
jest.setTimeout(START_TIMEOUT_MS);

let directory: string;
let ports: Record<string, string>;
/** Runs until the tests of its end. */
let stack: GuardedProcess;
let facts: DemoFacts;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'cxp-local-stack-'));
  rmdirSync(directory); // On a new machine there is none yet.
  ports = await freePorts();
  // No service may listen there: all three would.
  stack = startStack(directory, { ...ports, INTERNAL_PORT: String(await freePort()) });
  facts = await whenReady(stack);
});
afterAll(async () => {
  await stack.stop();
  rmSync(directory, { recursive: true });
});

describe('npm start', () => {
  it('writes into demo.json what a script needs', () => {
    expect(facts).toEqual({
      organizationId: 'demo',
      token: expect.stringMatching(/^cxp_\w{38}$/),
      platformToken: expect.stringMatching(/^cxp_\w{38}$/),
      installedSourceId: 1,
      urls: Object.fromEntries(
        services.map(({ urlKey, portVariable }) => [urlKey, `http://localhost:${ports[portVariable]}`]),
      ),
      databaseUrl: expect.stringMatching(/^postgres:\/\//),
      redisUrl: expect.stringMatching(/^redis:\/\//),
      demoPage: `https://localhost:${ports.WEBCHAT_TLS_PORT}/demo`,
      report: `https://localhost:${ports.WEBCHAT_TLS_PORT}/demo/report`,
      surveyLink: expect.stringMatching(`^http://localhost:${ports.SURVEY_PORT}/s/`),
    });
  });

  it('shows what it is doing, and nothing of Nx', () => {
    expect(stack.output()).toMatch(
      /^npm start: Starting PostgreSQL\n(.*\n)*npm start: Migrating the schemas\n(.*\n)*npm start: survey-api is ready\n/,
    );
    expect(stack.output()).not.toMatch(/\bnx\b/i);
    expect(stack.output()).toContain('npm start: INTERNAL_PORT is not used');
    expect(stack.output()).not.toContain('WEBCHAT_TLS_PORT');
  });

  it('serves the report of the last week', async () => {
    const ca = readFileSync(join(directory, 'tls/cert.pem'));
    const [answer] = (await once(get(facts.report, { ca }), 'response')) as [IncomingMessage];
    const page = await text(answer);
    expect(page).toContain('The longest waits');
    expect(page).toContain('data-reason="counted"');
    expect(page).toContain('Effort (CES)');
  });

  it('opens the demo survey', async () => {
    expect((await fetch(facts.surveyLink!)).status).toBe(200);
  });

  it('has a token of an integrator, and one of the platform beside it', async () => {
    const statuses = [facts.token, facts.platformToken].map(async (token) => {
      const headers = { authorization: `Bearer ${token}`, 'organization-id': 'demo', 'auth-type': 'token' };
      const external = await fetch(`${facts.urls.survey}/external/survey-campaigns`, { headers });
      const internal = await fetch(`${facts.urls.survey}/internal/records`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/x-ndjson' },
        body: '',
      });
      return [external.status, internal.status];
    });
    expect(await Promise.all(statuses)).toEqual([
      [200, 403],
      [200, 200],
    ]);
  });

  it.each(services.map(({ urlKey }) => urlKey))('prints a command for %s that works', async (urlKey) => {
    const command = printedCommands(stack).find((printed) => printed.includes(facts.urls[urlKey]!));
    const answer = await paste(command!);
    expect(await answer.text()).toMatch(/sessionId|"total":[1-9]/);
    expect(answer.ok).toBe(true);
  });

  it('lets a created session connect to its websocketUrl as it is', async () => {
    const command = printedCommands(stack).find((printed) => printed.includes(facts.urls.webchat!));
    const session = (await (await paste(command!)).json()) as { websocketUrl: string; sessionToken: string };
    const socket = new WebSocket(session.websocketUrl, ['webchat.v1', `bearer.${session.sessionToken}`], {
      ca: readFileSync(join(directory, 'tls/cert.pem')),
    });
    const [frame] = await once(socket, 'message');
    expect(JSON.parse(String(frame))).toMatchObject({ type: 'session.ready', userId: 'customer-1' });
    socket.close();
  });

  it('refuses to run twice in one directory, in one line', async () => {
    const second = startStack(directory, await freePorts());
    expect(await second.exited).toBe(1);
    expect(second.output()).toBe(`npm start: A local stack is already running in ${directory}\n`);
  });

  it('gives `nx serve` its databases and settings', async () => {
    const otherPorts = await freePorts();
    const app = serveApp('apps/webchat-gateway', directory, otherPorts);
    const url = `http://localhost:${otherPorts.WEBCHAT_PORT}`;
    await waitUntilReady(
      app,
      async () => (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok ?? false,
    );

    const pids = descendants(app.guardPid);
    app.signal('SIGTERM');
    expect(await app.exited).toBe(0);
    expect(living(pids)).toEqual([]);
  });
});

describe('npm start that ends leaves no process behind:', () => {
  const started = (stack: GuardedProcess) => {
    const pids = descendants(stack.guardPid);
    expect(pids.length).toBeGreaterThan(services.length * 3);
    return pids;
  };

  async function expectEnd(stack: GuardedProcess, pids: number[]): Promise<void> {
    const status = await stack.exited;
    // What it printed says why.
    expect([status, status === 0 ? '' : stack.output()]).toEqual([0, '']);
    expect(living(pids)).toEqual([]);
    expect(existsSync(join(directory, 'demo.json')) || existsSync(join(directory, 'stack.json'))).toBe(false);
  }

  it('with SIGINT, nor a claim to run; it starts again with the same token, and ends with SIGKILL', async () => {
    const pids = started(stack);
    stack.signal('SIGINT');
    await expectEnd(stack, pids);

    const again = startStack(directory, ports);
    expect((await whenReady(again)).token).toBe(facts.token);
    const pidsAgain = started(again);
    again.signal('SIGKILL');
    await again.exited;
    await eventually(() => living(pidsAgain).length === 0);
  });

  it('with SIGTERM while it starts, also if a command of it ends by the signal first', async () => {
    const early = startStack(directory, ports);
    const isMigration = (pid: number) => commandOf(pid).includes('cxp.js');
    await waitUntilReady(early, () => descendants(early.guardPid).some(isMigration));
    const pids = descendants(early.guardPid);
    const migration = pids.find(isMigration)!;
    process.kill(migration, 'SIGTERM');
    await eventually(() => living([migration]).length === 0);
    early.signal('SIGTERM');
    await expectEnd(early, pids);
  });

  it('with SIGHUP; it uses the databases of DATABASE_URL and REDIS_URL', async () => {
    const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
    const databases = { DATABASE_URL: database.url, REDIS_URL: redis.url };
    const early = startStack(directory, { ...ports, ...databases });
    await waitUntilReady(early, () => early.output().includes('Migrating the schemas'));
    expect(JSON.parse(readFileSync(join(directory, 'stack.json'), 'utf8'))).toMatchObject(databases);
    const pids = descendants(early.guardPid);
    early.signal('SIGHUP');
    await expectEnd(early, pids);
    await Promise.all([database.drop(), redis.close()]);
  });
});

describe('says in one line what is wrong:', () => {
  it('all ports that are taken, and the variables that change them', async () => {
    const listeners = [createServer().listen(0), createServer().listen(0)];
    await Promise.all(listeners.map((listener) => once(listener, 'listening')));
    const [survey, page] = listeners.map((listener) => (listener.address() as AddressInfo).port);
    const stack = startStack(directory, {
      ...ports,
      SURVEY_PORT: String(survey),
      WEBCHAT_TLS_PORT: String(page),
    });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toBe(
      `npm start: Taken: port ${survey} of survey-api (SURVEY_PORT), port ${page} of the sample backend (WEBCHAT_TLS_PORT). ` +
        'End what listens there, or set these variables to other ports\n',
    );
    for (const listener of listeners) listener.close();
  });

  it('a port that is none', async () => {
    const stack = startStack(directory, { ...ports, WEBCHAT_PORT: 'http' });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toBe('npm start: WEBCHAT_PORT must be a port number, and is "http"\n');
  });

  it('a setting that a service refuses', async () => {
    const stack = startStack(directory, { ...ports, EXTERNAL_WEBCHAT_PER_SEC_LIMIT: 'many' });
    expect(await stack.exited).toBe(1);
    expect(stack.output()).toContain('EXTERNAL_WEBCHAT_PER_SEC_LIMIT');
    expect(stack.output()).toMatch(/^npm start: webchat-gateway does not start$/m);
  });

  it('`nx serve` without databases', async () => {
    const app = serveApp('apps/webchat-gateway', directory, ports);
    expect(await app.exited).toBe(1);
    expect(app.output()).toBe(
      'No databases: run `npm start` beside this, or set DATABASE_URL and REDIS_URL\n',
    );
  });

  it('data of another version, and what to remove', async () => {
    const postgres = await startPostgres({ directory: join(directory, 'postgres') });
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    await client.query(`UPDATE webchat.migration SET name = 'CreateTables1600000000000'`);
    await client.end();
    await postgres.stop();
    const stack = startStack(directory, ports);
    expect(await stack.exited).toBe(1);
    const [postgresData, redisData] = ['postgres', 'redis'].map((name) => join(directory, name));
    expect(stack.output()).toMatch(
      `npm start: The demo data are of another version. Remove ${postgresData} and ${redisData}, and start again\n`,
    );
  });
});

async function whenReady(stack: GuardedProcess): Promise<DemoFacts> {
  await waitUntilReady(stack, () => stack.output().includes('The local stack is ready'), START_TIMEOUT_MS);
  return JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
}

function printedCommands(stack: GuardedProcess): string[] {
  return stack.output().match(/^curl [^]*?[^\\]\n/gm) ?? [];
}

/** Does what a shell would do with the command; not every machine has curl. */
async function paste(command: string): Promise<Response> {
  const [, url] = /^curl -i '([^']+)'/.exec(command)!;
  const headers = [...command.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name, value]) => [name!, value!]);
  const body = /-d '([^']+)'/.exec(command)?.[1];
  return fetch(url!, { headers: headers as [string, string][], body, method: body ? 'POST' : 'GET' });
}
