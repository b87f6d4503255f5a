import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { buildDeployable } from '@cxp/build';
import { startPostgres, startRedis } from '@cxp/local-servers';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { send } from '@cxp/services/http';
import {
  ALL_AREAS,
  contactCenter,
  SERVICES,
  startBuilt,
  survey,
  webchat,
} from '@cxp/services/service-under-test';
import { postJson, postRecords } from '@cxp/services/workloads';
import { migrate } from '@cxp/storage';
import { loadConversations } from '../export/load-conversations';
import { imageEnvironment } from '../image-environment';
import { planSteps, reportProgress } from '../progress';
import { fullResponse, METADATA_FIELDS, QUESTIONS, storeRecords } from '../survey/bench-data';
import { prepareInput } from '../worst/attacked-services';
import { allWorstInputs } from '../worst/worst-inputs';
import type { Attack } from '../worst/worst-input';
import { makeSteadyCalls, type CallFigures, type SteadyCall } from './steady-calls';
import { WorstOrganization } from './worst-organization';

const QUIET_SECONDS = 30;
const WORST_SECONDS = 45;
/** Until everything that stalls has stalled. */
const SETTLING_SECONDS = 5;
/** So many that a stream of them does not fit into the buffers of a connection, and really stalls. */
const CONVERSATIONS = { neighbour: 2_000, worst: 16_000 };
/** The neighbour's exports are small, so that they take turns; those that stall are not. */
const RESPONSES = { neighbour: 200, worst: 5_000 };

/** Organizations that send the inputs of `worst` to a service at the same time. */
const ATTACKERS = 4;
/** What each of them sends in a second, at most: as many calls as the default rate limit lets through. */
const ATTACKS_PER_SECOND = 5;

/** Tables that the neighbour's calls do not need. */
const LOCKED_TABLES = 'webchat.message, contact_center.conversation, survey.link';

interface Urls {
  readonly webchat: string;
  readonly contactCenter: string;
  readonly survey: string;
}

/** An organization with data of all areas. */
interface Organization {
  readonly caller: Caller;
  readonly campaignId: string;
}

/** One organization at its worst, others that send the inputs of `worst`, and how another's A1, B1, C1 and C3 fare beside them. */
export async function benchNeighbours(): Promise<void> {
  planSteps(6);
  reportProgress('build the services, start PostgreSQL and Redis');
  for (const { name } of SERVICES) await buildDeployable(`apps/${name}`);
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  for (const area of ALL_AREAS) await migrate(area, postgres.url);
  const environment = {
    ...imageEnvironment(),
    DATABASE_URL: postgres.url,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'error',
  };
  const processes = await Promise.all(SERVICES.map((service) => startBuilt(service, environment)));
  const url = (service: (typeof SERVICES)[number]) => processes[SERVICES.indexOf(service)]!.url;
  const urls = { webchat: url(webchat), contactCenter: url(contactCenter), survey: url(survey) };

  const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
  const organizations = [];
  for (const name of ['neighbour', 'worst'] as const) {
    reportProgress(`load the data of "${name}"`);
    organizations.push(await prepare(dataSource, urls, name));
  }
  reportProgress('prepare the inputs of `worst`');
  const attacks = await prepareAttacks(url, dataSource);
  await dataSource.query('VACUUM ANALYZE');
  const [neighbour, worst] = organizations as [Organization, Organization];
  const calls = callsOf(neighbour, urls);

  await makeSteadyCalls(calls, 5);
  reportProgress(`quiet: ${QUIET_SECONDS} s`);
  const quiet = await makeSteadyCalls(calls, QUIET_SECONDS);

  const lock = new Client({ connectionString: postgres.url });
  await lock.connect();
  await lock.query(`BEGIN; LOCK TABLE ${LOCKED_TABLES}`);
  const atWorst = await beginWorst(worst, urls);
  for (const { address, list } of attacks) attack(atWorst, address, list);
  await sleep(SETTLING_SECONDS * 1_000);
  reportProgress(`one organization at its worst, and others that attack: ${WORST_SECONDS} s`);
  const beside = await makeSteadyCalls(calls, WORST_SECONDS);
  await lock.end();
  await atWorst.stop();

  console.table(Object.fromEntries(calls.map(({ name }) => [name, rowOf(quiet[name]!, beside[name]!)])));
  await dataSource.destroy();
  await Promise.all(processes.map((process) => process.stop()));
  await Promise.all([postgres.stop(), redis.stop()]);
}

async function prepare(
  dataSource: DataSource,
  urls: Urls,
  name: keyof typeof RESPONSES,
): Promise<Organization> {
  const caller = await issueTestToken(dataSource, { organizationId: name });
  const campaignId = randomUUID();
  const source = postRecords(caller, [{ type: 'installed_source', data: { id: 1, name: 'Website' } }]);
  await send(urls.webchat, source);
  await loadConversations({ url: urls.contactCenter, headers: caller.headers }, CONVERSATIONS[name]);
  const store = (type: string, records: object[]) => storeRecords(dataSource, name, type, records);
  await store('metadata_field', METADATA_FIELDS);
  await store('survey_campaign', [
    { id: campaignId, name: 'Visit', status: 'active', touchpoints: [], survey_questions: QUESTIONS },
  ]);
  await store(
    'survey_response',
    Array.from({ length: RESPONSES[name] }, (_, n) => fullResponse(campaignId, n)),
  );
  return { caller, campaignId };
}

function callsOf({ caller, campaignId }: Organization, urls: Urls): SteadyCall[] {
  const { headers } = caller;
  const window = 'start_date=2026-08-01&end_date=2026-10-30';
  const get = (url: string, path: string) => () => send(url, { method: 'GET', path, headers });
  return [
    {
      name: 'A1 create a session',
      perSecond: 20,
      success: 201,
      call: () => send(urls.webchat, newSession(caller)),
    },
    {
      name: 'B1 a page of 50',
      perSecond: 10,
      success: 200,
      call: get(
        urls.contactCenter,
        '/external/conversation-sessions?startDate=2025-03-01&endDate=2025-03-31',
      ),
    },
    {
      name: 'C1 campaigns',
      perSecond: 10,
      success: 200,
      call: get(urls.survey, '/external/survey-campaigns'),
    },
    {
      name: `C3 ${RESPONSES.neighbour} responses`,
      perSecond: 1,
      success: 200,
      call: () =>
        send(urls.survey, {
          method: 'POST',
          path: `/external/survey-responses/export?survey_campaign_id=${campaignId}&${window}`,
          headers,
        }),
    },
  ];
}

function newSession(caller: Caller) {
  return postJson('/external/sessions', caller, {
    organizationId: caller.organizationId,
    installedSourceId: 1,
    user: { id: randomUUID() },
  });
}

/** 8 stalled C3, 20 stalled streams of B, 20 dripping intakes in each area, and calls that need the locked tables. */
async function beginWorst({ caller, campaignId }: Organization, urls: Urls): Promise<WorstOrganization> {
  const { conversationId } = (await send(urls.webchat, newSession(caller))).body as {
    conversationId: string;
  };
  const worst = new WorstOrganization(caller.headers);
  const window = 'start_date=2026-08-01&end_date=2026-10-30';
  worst.stallReading(
    8,
    urls.survey,
    'POST',
    `/external/survey-responses/export?survey_campaign_id=${campaignId}&${window}`,
    '*/*',
  );
  worst.stallReading(
    20,
    urls.contactCenter,
    'GET',
    '/external/conversation-sessions?startDate=2025-01-01&endDate=2025-12-31',
    'application/x-ndjson',
  );
  for (const url of Object.values(urls) as string[]) worst.dripBody(20, url, '/internal/records', '{"type":');
  worst.call(4, () => send(urls.webchat, newMessage(caller, conversationId)));
  const conversation = { type: 'conversation', data: { id: 'c', createdAt: NOON, updatedAt: NOON } };
  worst.call(4, () => send(urls.contactCenter, postRecords(caller, [conversation])));
  const linkPath = `/external/survey-campaigns/${campaignId}/links`;
  worst.call(4, () => send(urls.survey, postJson(linkPath, caller, { name: randomUUID() })));
  return worst;
}

interface Attacks {
  readonly address: string;
  readonly list: readonly Attack[];
}

/** Each in an organization of its own. */
async function prepareAttacks(
  url: (service: (typeof SERVICES)[number]) => string,
  dataSource: DataSource,
): Promise<Attacks[]> {
  const all = allWorstInputs();
  return Promise.all(
    SERVICES.map(async (service) => {
      const list: Attack[] = [];
      for (const { input } of all.filter((each) => each.service === service)) {
        list.push((await prepareInput(input, { service, url: url(service), dataSource })).attack);
      }
      return { address: url(service), list };
    }),
  );
}

function attack(worst: WorstOrganization, address: string, list: readonly Attack[]): void {
  let turn = 0;
  worst.call(
    ATTACKERS,
    () => {
      const run = turn++;
      return list[run % list.length]!(address, run);
    },
    1_000 / ATTACKS_PER_SECOND,
  );
}

const NOON = '2026-01-05T05:00:00.000Z';

function newMessage(caller: Caller, conversationId: string) {
  const message = { id: randomUUID(), senderType: 'agent', text: 'Hello' };
  return postJson(`/internal/conversations/${conversationId}/messages`, caller, message);
}

function rowOf(quiet: CallFigures, beside: CallFigures): Record<string, string | number> {
  return {
    calls: beside.calls,
    'quiet p50 ms': quiet.p50Ms.toFixed(1),
    'p50 ms': beside.p50Ms.toFixed(1),
    'quiet p99 ms': quiet.p99Ms.toFixed(1),
    'p99 ms': beside.p99Ms.toFixed(1),
    'p99 ratio': (beside.p99Ms / quiet.p99Ms).toFixed(2),
    failed: JSON.stringify({ ...quiet.failures, ...beside.failures }),
  };
}
