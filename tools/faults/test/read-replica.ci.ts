import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { eventually } from '@cxp/service-kit/testing';
import { send, type HttpAnswer } from '@cxp/services/http';
import { ALL_AREAS, contactCenter, startBuilt, survey } from '@cxp/services/service-under-test';
import { importRecords, WORKLOADS } from '@cxp/services/workloads';
import { FaultyProxy } from '../src/faulty-proxy';
import { LiveControl } from '../src/live-control';
import { describeResult, Load, succeeded, type LoadResult } from '../src/load';
import { startOwnReplica, startOwnStores, type OwnStores, type StoppableServer } from '../src/own-stores';
import { startWorkloads, type RunningWorkloads } from '../src/running-workloads';

const CAMPAIGN = 'f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42';
const OF_CAMPAIGN = `survey_campaign_id=${CAMPAIGN}&start_date=2026-01-05&end_date=2026-01-05`;
const B_DAY = 'startDate=2026-01-05&endDate=2026-01-05&timezone=UTC';
const NOON = '2026-01-05T05:00:00.000Z';

/** What `/health/live` takes on a machine that has no processor left, in milliseconds. */
const STARVED_MS = 300;

/** The rows of the two areas, which nothing can read while they are locked. */
const LOCKED = [
  'contact_center.conversation_session',
  'contact_center.session_count',
  'survey.campaign',
  'survey.response',
  'survey.response_block',
];

const FROM_REPLICA = [
  { service: contactCenter, path: `/external/conversation-sessions?${B_DAY}` },
  { service: contactCenter, path: `/external/conversation-sessions?${B_DAY}&cursor=` },
  {
    service: contactCenter,
    path: `/external/conversation-sessions?${B_DAY}`,
    accept: 'application/x-ndjson',
  },
  { service: contactCenter, path: `/external/conversation-sessions?${B_DAY}`, accept: 'text/csv' },
  { service: contactCenter, path: `/external/conversation-session-digests?${B_DAY}` },
  { service: survey, path: '/external/survey-campaigns' },
  { service: survey, path: `/external/survey-responses?${OF_CAMPAIGN}` },
  { service: survey, path: `/external/survey-responses/export?${OF_CAMPAIGN}`, method: 'POST' },
  { service: survey, path: '/external/survey-response-digests?start_date=2026-01-05&end_date=2026-01-05' },
];

const FROM_PRIMARY = [
  { service: contactCenter, path: '/external/conversation-session-changes' },
  { service: contactCenter, path: '/external/conversation-sessions/c' },
  { service: survey, path: '/external/survey-response-changes' },
];

interface Read {
  readonly service: typeof survey;
  readonly path: string;
  readonly method?: string;
  readonly accept?: string;
}

let stores: OwnStores;
let replica: StoppableServer;
/** Between the services and the replica. */
let proxy: FaultyProxy;
let running: RunningWorkloads;
let administrator: Client;

beforeAll(async () => {
  stores = await startOwnStores(ALL_AREAS);
  replica = await startOwnReplica(stores.postgres);
  proxy = await FaultyProxy.before(replica.url);
  running = await startWorkloads(stores.postgres.url, {
    DATABASE_URL: stores.postgres.url,
    DATABASE_READ_URL: proxy.url,
    DATABASE_READ_MAX_LAG_SECONDS: '3600',
    REDIS_URL: stores.redis.url,
  });
  administrator = new Client({ connectionString: stores.postgres.url });
  await administrator.connect();
  await importRecords(urlOf(contactCenter), running.caller, session('c'));
}, 120_000);

afterAll(async () => {
  await administrator?.end();
  await running?.stop();
  await proxy?.close();
  await replica?.stop();
  await stores?.remove();
});

function session(id: string): object[] {
  const agent = { accountId: 1, email: 'ann@example.com' };
  return [
    { type: 'conversation', data: { id, createdAt: NOON, updatedAt: NOON, customer: {} } },
    {
      type: 'activity',
      data: { id: `of ${id}`, conversationId: id, action: 'assign', occurredAt: NOON, agent },
    },
  ];
}

function urlOf(service: Read['service']): string {
  return [...running.processes].find(([workload]) => workload.service === service)![1].url;
}

function read({ service, path, method = 'GET', accept }: Read, url = urlOf(service)): Promise<HttpAnswer> {
  const headers = { ...running.caller.headers, ...(accept && { accept }) };
  return send(url, { method, path, headers });
}

async function onReplica<Row>(sql: string): Promise<Row> {
  const client = new Client({ connectionString: replica.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows[0] as Row;
  } finally {
    await client.end();
  }
}

async function replayed(): Promise<void> {
  const { rows } = await administrator.query<{ at: string }>('SELECT pg_current_wal_lsn() AS at');
  await eventually(async () => {
    const { there } = await onReplica<{ there: boolean }>(
      `SELECT pg_last_wal_replay_lsn() >= '${rows[0]!.at}'::pg_lsn AS there`,
    );
    return there;
  });
}

/** On a busy machine the replica may have answered too late last time, and the primary is read meanwhile. */
async function replicaUsed(service: Read['service']): Promise<void> {
  await eventually(async () => (await metric(urlOf(service), 'postgres_replica_used')) === 1);
}

async function metric(url: string, name: string): Promise<number> {
  const { text } = await send(url, { method: 'GET', path: '/metrics' });
  return Number(new RegExp(`^${name}(?:{.*})? (.*)$`, 'm').exec(text)?.[1]);
}

describe('while the tables of the primary can not be read', () => {
  beforeAll(async () => {
    await replayed();
    for (const service of [contactCenter, survey]) await replicaUsed(service);
    // The replica would get the locks, too.
    await onReplica('SELECT pg_wal_replay_pause()');
    await administrator.query(`BEGIN; LOCK TABLE ${LOCKED.join(', ')}`);
  });
  afterAll(async () => {
    await administrator.query('ROLLBACK');
    await onReplica('SELECT pg_wal_replay_resume()');
  });

  it.each(FROM_REPLICA)('$service.name reads $path from the replica', async (request) => {
    // A replica that was late with its last check is used again after the next: the primary can't answer.
    await eventually(async () => (await read(request)).status === 200);
  });

  it.each(FROM_PRIMARY)('$service.name reads $path from the primary', async (request) => {
    const { status } = await read(request);
    expect(status).toBe(503);
  });
});

describe('while the replica is behind', () => {
  const list = { service: contactCenter, path: `/external/conversation-sessions?${B_DAY}&perPage=1` };
  const digests = { service: contactCenter, path: `/external/conversation-session-digests?${B_DAY}` };
  const rowsOf = async (request: Read, url?: string) => {
    const { body } = await read(request, url);
    return body as { total: number; items: { rows: number }[] };
  };

  it('lists what it has, counts what it has, and answers digests that no follower is ahead of', async () => {
    await replayed();
    await replicaUsed(contactCenter);
    const { total: before } = await rowsOf(list);
    await onReplica('SELECT pg_wal_replay_pause()');
    await importRecords(urlOf(contactCenter), running.caller, session('later'));
    // For the same reason: what is on the primary alone would never be gone again.
    await eventually(async () => (await rowsOf(list)).total === before);
    expect((await rowsOf(digests)).items).toMatchObject([{ rows: before + 1 }]);
    await onReplica('SELECT pg_wal_replay_resume()');
    await eventually(async () => (await rowsOf(list)).total === before + 1);
  });

  it('is not used beyond the lag that is allowed, and used again when it has caught up', async () => {
    const strict = await startBuilt(contactCenter, {
      DATABASE_URL: stores.postgres.url,
      DATABASE_READ_URL: replica.url,
      DATABASE_READ_MAX_LAG_SECONDS: '1',
      REDIS_URL: stores.redis.url,
    });
    const isUsed = (used: 0 | 1) => async () => (await metric(strict.url, 'postgres_replica_used')) === used;
    try {
      await eventually(isUsed(1));
      await onReplica('SELECT pg_wal_replay_pause()');
      const { total: before } = await rowsOf(list, strict.url);
      await importRecords(strict.url, running.caller, session('much later'));
      await eventually(isUsed(0));
      expect((await rowsOf(list, strict.url)).total).toBe(before + 1);
      await onReplica('SELECT pg_wal_replay_resume()');
      await eventually(isUsed(1));
      expect((await rowsOf(list, strict.url)).total).toBe(before + 1);
      await eventually(() => strict.output().includes('is not used: it is more than 1 seconds behind'));
    } finally {
      await strict.stop();
    }
  });

  it('a server that is no replica is not used', async () => {
    const service = await startBuilt(contactCenter, {
      DATABASE_URL: stores.postgres.url,
      DATABASE_READ_URL: stores.postgres.url,
      REDIS_URL: stores.redis.url,
    });
    expect(await metric(service.url, 'postgres_replica_used')).toBe(0);
    expect(service.output()).toContain('is not used: it is not a replica');
    await service.stop();
  });
});

describe('no request fails', () => {
  async function underLoad(fault: () => Promise<void>): Promise<void> {
    for (const { service } of WORKLOADS.slice(1)) await replicaUsed(service);
    const loads = WORKLOADS.slice(1).map(
      ({ service, operations }) =>
        new Load(operations, running.caller, (request) => send(urlOf(service), request), 2),
    );
    const controls = WORKLOADS.slice(1).map(({ service }) => new LiveControl(urlOf(service)));
    await sleep(500);
    await fault();
    await sleep(1_500);
    await eventually(() => loads.flatMap(({ results }) => results).length > 50, 60_000);
    const results = (await Promise.all(loads.map((load) => load.stop()))).flat();
    await Promise.all(controls.map((control) => control.stop()));
    // A machine that answers even `/health/live` so late has no time for what takes long.
    const wasStarved = ({ startedAt, endedAt }: LoadResult) =>
      controls.some((control) => control.slowest(startedAt, endedAt) > STARVED_MS);
    const failed = results.filter((result) => !succeeded(result) && !wasStarved(result));
    expect(failed.map(describeResult)).toEqual([]);
  }

  it('when the replica is killed, nor when it comes back', () =>
    underLoad(async () => {
      await replica.kill();
      await sleep(1_500);
      await replica.start();
    }));

  it('when the network to the replica swallows everything, nor when it is healed', () =>
    underLoad(async () => {
      proxy.swallow();
      await sleep(2_500);
      proxy.heal();
    }));
});
