import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { send, type HttpRequest } from '@cxp/services/http';
import { contactCenter, SERVICES, survey, webchat } from '@cxp/services/service-under-test';
import { postJson, postRecords } from '@cxp/services/workloads';
import { withStack, type BenchStack } from '../bench-stack';
import { conversationRecords } from '../export/generated-conversations';
import { loadRecords } from '../load-records';
import { reportProgress } from '../progress';
import { createSession } from '../sessions/session-calls';
import { campaignRecords, fullResponses } from '../survey/bench-data';
import { prepareInput } from '../worst/attacked-services';
import { allWorstInputs } from '../worst/worst-inputs';
import type { Attack } from '../worst/worst-input';
import { compareCalls, makeSteadyCalls } from './steady-calls';
import { WorstOrganization } from './worst-organization';

const QUIET_SECONDS = Number(process.env.SECONDS ?? 30);
const WORST_SECONDS = 1.5 * QUIET_SECONDS;
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
const NOON = '2026-01-05T05:00:00.000Z';

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
export function benchNeighbours(): Promise<void> {
  return withStack(SERVICES, 5, compareNeighbours);
}

async function compareNeighbours(stack: BenchStack): Promise<void> {
  const env = { LOG_LEVEL: 'error' };
  const start = async (service: (typeof SERVICES)[number]) => (await stack.startService(service, env)).url;
  const urls = {
    webchat: await start(webchat),
    contactCenter: await start(contactCenter),
    survey: await start(survey),
  };
  reportProgress('load the data of both organizations');
  const neighbour = await prepare(stack, urls, 'neighbour');
  const worst = await prepare(stack, urls, 'worst');
  reportProgress('prepare the inputs of `worst`');
  const attacks = await prepareAttacks(stack, [urls.webchat, urls.contactCenter, urls.survey]);
  await stack.dataSource.query('VACUUM ANALYZE');
  const calls = callsOf(neighbour, urls);

  await makeSteadyCalls(calls, 5);
  reportProgress(`quiet: ${QUIET_SECONDS} s`);
  const quiet = await makeSteadyCalls(calls, QUIET_SECONDS);

  const lock = new Client({ connectionString: stack.postgres.url });
  await lock.connect();
  await lock.query(`BEGIN; LOCK TABLE ${LOCKED_TABLES}`);
  const atWorst = await beginWorst(worst, urls);
  for (const { address, list } of attacks) attack(atWorst, address, list);
  await sleep(SETTLING_SECONDS * 1_000);
  reportProgress(`one organization at its worst, and others that attack: ${WORST_SECONDS} s`);
  const beside = await makeSteadyCalls(calls, WORST_SECONDS);
  await lock.end();
  await atWorst.stop();

  compareCalls(quiet, beside);
}

async function prepare(
  { dataSource }: BenchStack,
  urls: Urls,
  name: keyof typeof RESPONSES,
): Promise<Organization> {
  const caller = await issueTestToken(dataSource, { organizationId: name });
  const campaignId = randomUUID();
  const load = (url: string, records: Iterable<object>) =>
    loadRecords({ url, headers: caller.headers }, records);
  await load(urls.webchat, [{ type: 'installed_source', data: { id: 1, name: 'Website' } }]);
  await load(urls.contactCenter, conversationRecords(CONVERSATIONS[name]));
  await load(urls.survey, campaignRecords([campaignId]));
  await load(urls.survey, fullResponses(campaignId, RESPONSES[name]));
  return { caller, campaignId };
}

function callsOf({ caller, campaignId }: Organization, urls: Urls) {
  const { headers } = caller;
  const page = '/external/conversation-sessions?startDate=2025-03-01&endDate=2025-03-31';
  const steady = (perSecond: number, url: string, request: () => HttpRequest, success = 200) => ({
    perSecond,
    success,
    call: () => send(url, request()),
  });
  const call = (method: string, path: string) => () => ({ method, path, headers });
  return {
    'A1 create a session': steady(20, urls.webchat, () => newSession(caller), 201),
    'B1 a page of 50': steady(10, urls.contactCenter, call('GET', page)),
    'C1 campaigns': steady(10, urls.survey, call('GET', '/external/survey-campaigns')),
    'C3 200 responses': steady(1, urls.survey, call('POST', exportPath(campaignId))),
  };
}

function exportPath(campaignId: string): string {
  const window = 'start_date=2026-08-01&end_date=2026-10-30';
  return `/external/survey-responses/export?survey_campaign_id=${campaignId}&${window}`;
}

function newSession({ organizationId, headers }: Caller): HttpRequest {
  return {
    ...createSession(organizationId, randomUUID()),
    headers: { ...headers, 'content-type': 'application/json' },
  };
}

/** 8 stalled C3, 20 stalled streams of B, 20 dripping intakes in each area, and calls that need the locked tables. */
async function beginWorst({ caller, campaignId }: Organization, urls: Urls): Promise<WorstOrganization> {
  const session = await send(urls.webchat, newSession(caller));
  const { conversationId } = session.body as { conversationId: string };
  const worst = new WorstOrganization();
  const stall = (count: number, url: string, method: string, path: string, accept: string) => {
    const headers = { ...caller.headers, accept, 'content-length': '0' };
    worst.stallReading(count, url, { method, path, headers });
  };
  const year = '/external/conversation-sessions?startDate=2025-01-01&endDate=2025-12-31';
  stall(8, urls.survey, 'POST', exportPath(campaignId), '*/*');
  stall(20, urls.contactCenter, 'GET', year, 'application/x-ndjson');

  const { headers, ...intake } = postRecords(caller, []);
  const endless = { ...intake, headers: { ...headers, 'content-length': '100000000' }, body: '{"type":' };
  for (const url of [urls.webchat, urls.contactCenter, urls.survey]) worst.dripBody(20, url, endless);

  const post = (url: string, path: string, body: () => object) =>
    worst.call(4, () => send(url, postJson(path, caller, body())));
  const conversation = { type: 'conversation', data: { id: 'c', createdAt: NOON, updatedAt: NOON } };
  worst.call(4, () => send(urls.contactCenter, postRecords(caller, [conversation])));
  post(urls.webchat, `/internal/conversations/${conversationId}/messages`, () => ({
    id: randomUUID(),
    senderType: 'agent',
    text: 'Hello',
  }));
  post(urls.survey, `/external/survey-campaigns/${campaignId}/links`, () => ({ name: randomUUID() }));
  return worst;
}

interface Attacks {
  readonly address: string;
  readonly list: readonly Attack[];
}

/** Each in an organization of its own. @param addresses in the order of `SERVICES` */
async function prepareAttacks({ dataSource }: BenchStack, addresses: readonly string[]): Promise<Attacks[]> {
  const all = allWorstInputs();
  return Promise.all(
    SERVICES.map(async (service, place) => {
      const address = addresses[place]!;
      const list: Attack[] = [];
      for (const { input } of all.filter((each) => each.service === service))
        list.push((await prepareInput(input, { service, url: address, dataSource })).attack);
      return { address, list };
    }),
  );
}

function attack(worst: WorstOrganization, address: string, list: readonly Attack[]): void {
  let turn = 0;
  const next = () => {
    const run = turn++;
    return list[run % list.length]!(address, run);
  };
  worst.call(ATTACKERS, next, 1_000 / ATTACKS_PER_SECOND);
}
