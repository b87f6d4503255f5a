import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { freePort, type GuardedProcess, startGuarded, workspaceRoot } from '@cxp/local-servers';
import { type Caller, eventually, issueTestToken } from '@cxp/service-kit/testing';
import { startBuilt, survey } from './service-under-test';
import { createTestDatabase, seededRandom } from '@cxp/testing';
import { makeAuthority } from './authority';
import { FaultyProxy } from './faulty-proxy';
import { startOwnStores } from './own-stores';
import { killAtRandom, ReplaceableProcess, sendUntilDone } from './replaceable-process';

const RESPONSES = 50;
const CAMPAIGN = randomUUID();

/** Within this time after the last kill the follower has everything, in milliseconds. Without a hint it reads after ten minutes. */
const FOLLOWED_WITHIN_MS = 60_000;

/** What a dump holds of the endpoints and the feed; pg_dump of PostgreSQL 18 is not at hand. */
const DUMPED = ['survey.webhook_endpoint', 'survey.change_epoch', 'survey.change_feed'];

const random = seededRandom('hints and kills');

/**
 * `cxp follow --hints` keeps a copy while responses are stored, hints are lost, doubled, delayed and reordered on their way, their acknowledgements are
 * lost, and the service, PostgreSQL and the follower are killed. Afterwards the copy is that of the feed, and the secret is nowhere in plain.
 */
export async function expectFollowedThroughKills(durationMs: number): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'cxp-hints-'));
  const authority = await makeAuthority(join(directory, 'tls'));
  const { cert, key } = await authority.issue('localhost', ['127.0.0.1']);
  const stores = await startOwnStores([accessDatabase, survey.area]);
  const env = {
    DATABASE_URL: stores.postgres.url,
    REDIS_URL: stores.redis.url,
    LOG_LEVEL: 'debug',
    NODE_EXTRA_CA_CERTS: authority.file,
    SHUTDOWN_DRAIN_SECONDS: '0',
  };
  const target = await createTestDatabase();
  const caller = await callerOf(stores.postgres.url);
  const service = await ReplaceableProcess.start(() => startBuilt(survey, env));
  const url = () => service.url;
  const hintPort = await freePort();
  let isLossy = true;
  const proxy = createServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    relayTo(hintPort, () => isLossy),
  );
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  const endpoint = await sendUntilDone<{ secret: string }>(url, {
    method: 'PUT',
    path: `/external/webhook-endpoints/${randomUUID()}`,
    headers: { ...caller.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `https://localhost:${(proxy.address() as AddressInfo).port}/hints` }),
  });
  // The service has another port each time it is started.
  const relay = await FaultyProxy.before(url);
  const supervisor = superviseFollower(() =>
    startFollower(relay.url, caller, target.url, hintPort, endpoint.secret),
  );
  const kills: Record<string, () => Promise<unknown>> = {
    'the service': () => service.kill(),
    'the follower': () => supervisor.kill(),
    PostgreSQL: async () => {
      await stores.postgres.kill();
      await stores.postgres.start();
    },
  };
  let written = 0;
  const endsAt = performance.now() + durationMs;
  const [counts] = await Promise.all([
    killAtRandom(kills, random, () => 1_000 + 3_000 * random(), endsAt),
    (async () => {
      for (; performance.now() < endsAt; written += 1) {
        await sendUntilDone(url, recordsRequest(caller));
        await sleep(random() * 300);
      }
    })(),
  ]);
  const source = new Client({ connectionString: stores.postgres.url });
  await source.connect();
  const copy = new Client({ connectionString: target.url });
  await copy.connect();
  const fed = `SELECT change::integer, identifier FROM survey.response WHERE change IS NOT NULL ORDER BY change`;
  const copied = `SELECT change::integer, identifier FROM survey_response ORDER BY change`;
  const rowsOf = async (client: Client, sql: string) =>
    (await client.query<{ change: number; identifier: string }>(sql)).rows;
  isLossy = false;
  await eventually(async () => {
    // As if the pauses after failures were over.
    await source.query(`UPDATE survey.webhook_endpoint SET next_attempt_at = now()`);
    return JSON.stringify(await rowsOf(copy, copied)) === JSON.stringify(await rowsOf(source, fed));
  }, FOLLOWED_WITHIN_MS);
  console.log(`${written} written, ${supervisor.starts} followers, killed: ${JSON.stringify(counts)}`);
  expect((await rowsOf(copy, copied)).length).toBeGreaterThan(0);

  const dumped: string[] = [];
  for (const table of DUMPED)
    dumped.push(JSON.stringify((await source.query(`SELECT * FROM ${table}`)).rows));
  expect(dumped[0]).toContain(caller.organizationId);
  for (const text of [...dumped, service.output(), supervisor.output()]) {
    expect(text.includes(endpoint.secret.slice('whsec_'.length))).toBe(false);
  }
  await supervisor.stop();
  await Promise.all([copy.end(), source.end(), service.stop()]);
  await relay.close();
  proxy.close();
  proxy.closeAllConnections();
  await Promise.all([stores.remove(), target.drop(), rm(directory, { recursive: true, force: true })]);
}

async function callerOf(databaseUrl: string): Promise<Caller> {
  const dataSource = await new DataSource({ type: 'postgres', url: databaseUrl }).initialize();
  const caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  return caller;
}

function recordsRequest(caller: Caller) {
  const campaign = {
    type: 'survey_campaign',
    data: { id: CAMPAIGN, name: 'After the visit', status: 'active', touchpoints: [], survey_questions: [] },
  };
  const responses = Array.from({ length: 1 + Math.floor(random() * 5) }, () => {
    const number = String(Math.floor(random() * RESPONSES)).padStart(12, '0');
    const identifier = `00000000-0000-4000-8000-${number}`;
    if (random() < 0.3) return { type: 'survey_response', op: 'delete', data: { identifier } };
    const data = { identifier, survey_campaign_id: CAMPAIGN, sent_timestamp: '2026-01-05T02:00:00.000Z' };
    return {
      type: 'survey_response',
      data: { ...data, user_name: `Hoa ${random()}`, source: 'Email', answers: {} },
    };
  });
  return {
    method: 'POST',
    path: '/internal/records',
    headers: { ...caller.headers, 'content-type': 'application/x-ndjson' },
    body: [campaign, ...responses].map((record) => JSON.stringify(record)).join('\n'),
  };
}

/** Ends TLS before the follower, and loses, delays and doubles hints and their acknowledgements. */
function relayTo(port: number, isLossy: () => boolean): Parameters<typeof createServer>[1] {
  return (incoming, answer) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const forward = () =>
        new Promise<number>((resolve) => {
          request({ port, host: '127.0.0.1', method: 'POST', headers: incoming.headers })
            .on('response', (response) => resolve(response.resume().statusCode!))
            .on('error', () => resolve(502))
            .end(Buffer.concat(chunks));
        });
      const lot = isLossy() ? random() : 0.5;
      if (lot < 0.1) return void incoming.destroy();
      if (lot < 0.3) await sleep(random() * 1_000);
      if (lot > 0.8) await forward();
      const status = await forward();
      if (lot > 0.95) return void incoming.destroy();
      answer.writeHead(status).end();
    })();
  };
}

function startFollower(
  url: string,
  { organizationId, token }: Caller,
  to: string,
  hintPort: number,
  secret: string,
): GuardedProcess {
  const followed = ['--area', 'survey', '--organization', organizationId, '--url', url, '--to', to];
  return startGuarded({
    command: [
      process.execPath,
      join(workspaceRoot, 'dist/tools/cxp/main.js'),
      'follow',
      ...[...followed, '--hints', String(hintPort)],
    ],
    env: { PATH: process.env.PATH, CXP_TOKEN: token, CXP_HINT_SECRET: secret },
  });
}

/** Starts a follower again whenever it ends, as a supervisor of processes does. */
function superviseFollower(start: () => GuardedProcess) {
  let current = start();
  let isStopping = false;
  let printed = '';
  const supervisor = {
    starts: 1,
    kill: async () => {
      current.signal('SIGKILL');
      await current.exited;
    },
    output: () => printed + current.output(),
    stop: async () => {
      isStopping = true;
      await supervisor.kill();
      await finished;
    },
  };
  const finished = (async () => {
    for (;;) {
      await current.exited;
      printed += current.output();
      await sleep(200);
      if (isStopping) return;
      current = start();
      supervisor.starts += 1;
    }
  })();
  return supervisor;
}
