import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';
import { accessDatabase } from '@cxp/auth-headers';
import { openDatabase } from '@cxp/storage';
import { startGuarded, workspaceRoot } from '@cxp/testing/local-servers';
import { eventually, issueTestToken } from '@cxp/service-kit/testing';
import { createTestDatabase, seededRandom } from '@cxp/testing';
import { FaultyProxy } from './faulty-proxy';
import { startOwnStores, type StoppableServer } from './own-stores';
import { killAtRandom, ReplaceableProcess, sendUntilDone } from './replaceable-process';
import { deliveringTo, expectSameChats, isDelivered } from './chat-delivery';
import { databases } from '../src/areas';
import { contactCenter, startBuilt, survey, webchat } from '../src/service-under-test';
import { postJson, postRecords, record } from '../src/workloads';

const DURATION_MS = 600_000;
const CONVERSATIONS = 8;
const RESPONSES = 50;
const CAMPAIGN = '3b0f7c52-9d1e-4f6a-8a57-0c1d2e3f4a5b';
/** Within this time after the last kill area B has everything, in milliseconds. */
const DELIVERED_WITHIN_MS = 90_000;

it(
  'nothing is lost, doubled or out of order, in area B or at followers, whatever is killed: ten minutes',
  async () => {
    const stores = await startOwnStores(databases);
    const env = {
      DATABASE_URL: stores.postgres.url,
      REDIS_URL: stores.redis.url,
      LOG_LEVEL: 'warn',
      SHUTDOWN_DRAIN_SECONDS: '0',
    };
    const connectTo = () => openDatabase(stores.postgres.url, [accessDatabase]);
    let dataSource = await connectTo();
    const caller = await issueTestToken(dataSource);
    const conversations: { id: string }[] = await dataSource.query(
      `INSERT INTO webchat.conversation (organization_id, user_id)
       SELECT $1, gen_random_uuid() FROM generate_series(1, $2) RETURNING id`,
      [caller.organizationId, CONVERSATIONS],
    );
    await dataSource.destroy();

    const started = (start: Parameters<typeof ReplaceableProcess.start>[0]) =>
      ReplaceableProcess.start(start);
    const areaB = await started(() => startBuilt(contactCenter, env));
    const areaC = await started(() => startBuilt(survey, env));
    // Each has another port when it is started again.
    const [relayB, relayC] = [
      await FaultyProxy.before(() => areaB.url),
      await FaultyProxy.before(() => areaC.url),
    ];
    const gateway = () => started(() => startBuilt(webchat, { ...env, ...deliveringTo(relayB) }));
    const gateways = [await gateway(), await gateway()];

    const copies = await Promise.all(
      [
        { area: 'contact-center', table: 'conversation_session', url: relayB.url },
        { area: 'survey', table: 'survey_response', url: relayC.url },
      ].map(async (followed) => ({ ...followed, database: await createTestDatabase() })),
    );
    const follow = ({ area, url }: (typeof copies)[number], to: string, ...options: string[]) => {
      const { organizationId, token } = caller;
      const program = join(workspaceRoot, 'dist/tools/cxp/main.js');
      const of = ['--organization', organizationId, '--token', token, '--url', url];
      return [process.execPath, program, 'follow', '--area', area, ...of, '--to', to, ...options] as const;
    };
    const followers = await Promise.all(
      copies.map((copy) =>
        started(async () => ({
          ...startGuarded({ command: [...follow(copy, copy.database.url)], env: { PATH: process.env.PATH } }),
          url: '',
        })),
      ),
    );
    const restart = async (store: StoppableServer) => {
      await store.kill();
      await store.start();
    };
    const kills: Record<string, () => Promise<unknown>> = {
      'a gateway': () => gateways[0]!.kill(),
      'the other gateway': () => gateways[1]!.kill(),
      'area B': () => areaB.kill(),
      'area C': () => areaC.kill(),
      'the follower of area B': () => followers[0]!.kill(),
      'the follower of area C': () => followers[1]!.kill(),
      PostgreSQL: () => restart(stores.postgres),
      Redis: () => restart(stores.redis),
    };

    const random = seededRandom('kills');
    const endsAt = performance.now() + DURATION_MS;
    let written = 0;
    const chats = conversations.map(async ({ id }, writer) => {
      const post = (what: string, body: object, n: number) => {
        const request = postJson(`/internal/conversations/${id}/${what}`, caller, body);
        return sendUntilDone(() => gateways[n % 2]!.url, request);
      };
      for (let n = 1; performance.now() < endsAt; n++) {
        await post('messages', { id: `m-${writer}-${n}`, senderType: 'agent', text: 'Hello' }, n);
        // All at one time: only the order of their arrival distinguishes them.
        const occurredAt = '2026-01-05T12:00:00.000Z';
        const action = n % 5 === 0 ? 'end_conversation' : n % 2 ? 'assign' : 'route_to_human';
        const activity = {
          id: `a-${writer}-${n}`,
          action,
          occurredAt,
          agent: { accountId: n, name: `Agent ${n}` },
        };
        await post('activities', activity, n + 1);
        written += 2;
        await sleep(random() * 100);
      }
    });
    const responses = async () => {
      const campaign = { id: CAMPAIGN, name: 'Visit', status: 'active', survey_questions: [] };
      while (performance.now() < endsAt) {
        const identifier = `00000000-0000-4000-8000-${String(Math.floor(random() * RESPONSES)).padStart(12, '0')}`;
        const data = { identifier, survey_campaign_id: CAMPAIGN, sent_timestamp: '2026-01-05T02:00:00.000Z' };
        const response =
          random() < 0.3
            ? { type: 'survey_response', op: 'delete', data: { identifier } }
            : record('survey_response', { ...data, user_name: `Hoa ${random()}` });
        const request = postRecords(caller, [record('survey_campaign', campaign), response]);
        await sendUntilDone(() => areaC.url, request);
        await sleep(random() * 100);
      }
    };
    const writers = [...chats, responses()];
    const counts = await killAtRandom(kills, random, () => 1_500 * random(), endsAt);
    await Promise.all(writers);

    dataSource = await connectTo();
    await eventually(() => isDelivered(dataSource), DELIVERED_WITHIN_MS);
    const [messages, activities] = await expectSameChats(dataSource);
    expect(messages! + activities!).toBe(written);
    await Promise.all(followers.map((follower) => follower.stop()));
    for (const copy of copies) {
      const run = async (...args: Parameters<typeof follow>) => {
        const [program, ...rest] = follow(...args);
        return (await promisify(execFile)(program, rest, { maxBuffer: 2 ** 28 })).stdout.trim();
      };
      const report = JSON.parse(await run(copy, copy.database.url, '--once', '--verify', '--json')) as object;
      expect(report).toMatchObject({ verified: { mended: [] } });
      const feed = (await run(copy, '-', '--once')).split('\n').map((line) => JSON.parse(line) as FedRow);
      const pool = new Pool({ connectionString: copy.database.url });
      const { rows } = await pool.query<FedRow>(
        `SELECT change::integer, digest FROM ${copy.table} ORDER BY change`,
      );
      await pool.end();
      const fed = feed.filter(({ op }) => op === 'upsert').sort((one, other) => one.change - other.change);
      expect(rows).toEqual(fed.map(({ change, digest }) => ({ change, digest })));
      await copy.database.drop();
    }
    console.log(`${written} written to chats, killed: ${JSON.stringify(counts)}`);
    await dataSource.destroy();
    await Promise.all([...gateways, areaB, areaC].map((process) => process.stop()));
    await Promise.all([relayB.close(), relayC.close()]);
    await stores.remove();
  },
  DURATION_MS + 300_000,
);

interface FedRow {
  readonly op: string;
  readonly change: number;
  readonly digest: string;
}
