import { randomUUID } from 'node:crypto';
import { startRedis } from '@cxp/local-servers';
import { ALL_AREAS, contactCenter, survey, webchat } from '@cxp/services/service-under-test';
import { distribute, migrate } from '@cxp/storage';
import { SurveySettings } from '@cxp/survey-api/settings';
import { ResponseSeal } from '@cxp/survey-api/survey-pages/response-seal';
import { createTestDatabase, dropTestDatabases } from '@cxp/testing';
import { BenchStack, buildServices, type RequestHeaders } from '../bench-stack';
import { conversationRecords } from '../export/generated-conversations';
import { inTurn, milliseconds } from '../in-turn';
import { loadRecords } from '../load-records';
import { planSteps, reportProgress } from '../progress';
import { ChatSockets } from '../realtime/chat-sockets';
import { addWebchatOrganization, createSession, openSessions } from '../sessions/session-calls';
import { quantile } from '../statistics';
import { campaignRecords } from '../survey/bench-data';

/** Rows of the organization whose pages are read. */
const ROWS = Number(process.env.ROWS ?? 5_000);
const CALLS = Number(process.env.CALLS ?? 200);
const ROUNDS = 5;
const ORGANIZATION = 'bench';
const KEY = { id: 'bench', secret: '0123456789abcdef0123456789abcdef' };

/** What one client does, a call after the other. */
type Calls = Readonly<Record<string, () => Promise<unknown>>>;

/**
 * What one client waits for on the Citus cluster of CITUS_URL (see tools/README.md), beside a database without Citus on the server of its
 * coordinator, call by call in turn.
 */
export async function benchCitus(): Promise<void> {
  const { CITUS_URL } = process.env;
  if (!CITUS_URL) throw new Error('CITUS_URL is not set: a database of the coordinator of a Citus cluster');
  planSteps(2);
  await buildServices([webchat, contactCenter, survey]);
  const stacks: BenchStack[] = [];
  const start = async (name: string, cluster?: string) => {
    const stack = await startOn(CITUS_URL, cluster);
    stacks.push(stack);
    return prepare(name, stack);
  };
  try {
    await compare(await start('plain'), await start('citus', CITUS_URL));
  } finally {
    for (const stack of stacks) await stack.stop();
    await dropTestDatabases();
  }
}

/** @param cluster where the tables are distributed; nowhere, by default */
async function startOn(server: string, cluster?: string): Promise<BenchStack> {
  // What tests read of their run.
  process.env.CXP_TEST_RUN ??= randomUUID().slice(0, 8);
  process.env.DATABASE_URL = server;
  if (cluster) process.env.CITUS_URL = cluster;
  else delete process.env.CITUS_URL;
  const { url, drop } = await createTestDatabase([...ALL_AREAS], migrate, distribute);
  return BenchStack.over({ url, stop: drop }, await startRedis());
}

async function prepare(name: string, stack: BenchStack): Promise<Calls> {
  reportProgress(`prepare ${name}`);
  const headers = await addWebchatOrganization(stack, ORGANIZATION);
  return {
    ...(await webchatCalls(stack, headers)),
    ...(await contactCenterCalls(stack, headers)),
    ...(await surveyCalls(stack, headers)),
  };
}

async function webchatCalls(stack: BenchStack, headers: RequestHeaders): Promise<Calls> {
  const { url } = await stack.startService(webchat, { WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000' });
  const sessions = await openSessions(url, ORGANIZATION, headers, 10);
  const sockets = await ChatSockets.open(randomUUID(), url.replace('http', 'ws'), sessions);
  const call = (userId?: string) => {
    const { path, ...request } = createSession(ORGANIZATION, userId);
    return expectSuccess(url + path, { ...request, headers });
  };
  return {
    'A1, new user': () => call(),
    'A1, known user': () => call(sessions[0]!.userId),
    'A, message': () => sockets.sendOne(),
  };
}

async function contactCenterCalls(stack: BenchStack, headers: RequestHeaders): Promise<Calls> {
  const { url } = await stack.startService(contactCenter);
  await loadRecords({ url, headers }, conversationRecords(ROWS));
  const window = 'startDate=2025-06-01&endDate=2025-06-30&perPage=50';
  return {
    'B1, page': () => expectSuccess(`${url}/external/conversation-sessions?${window}`, { headers }),
  };
}

async function surveyCalls(stack: BenchStack, headers: RequestHeaders): Promise<Calls> {
  const { url } = await stack.startService(survey, { SURVEY_PAGE_KEYS: `${KEY.id}:${KEY.secret}` });
  const campaign = randomUUID();
  await loadRecords({ url, headers }, campaignRecords([campaign]));
  let count = 0;
  const createLink = async () => {
    const body = { name: 'Hà Nội', metadata_mapping: [{ metadata_id: 1, value: `${count++}` }] };
    const path = `/external/survey-campaigns/${campaign}/links`;
    return expectSuccess(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  };
  await createLink();
  const [{ link }] = await stack.dataSource.query<[{ link: string }]>(
    'SELECT public_id AS link FROM survey.link WHERE organization_id = $1',
    [ORGANIZATION],
  );
  const seal = new ResponseSeal(Object.assign(new SurveySettings(), { SURVEY_PAGE_KEYS: [KEY] }));
  const submit = () => {
    const body = new URLSearchParams({ q1: 'Tốt', q6: '5', identifier: seal.create(link) });
    return expectSuccess(`${url}/s/${link}/responses`, { method: 'POST', body });
  };
  return {
    'C4, new link': createLink,
    'C, page of a survey': () => expectSuccess(`${url}/s/${link}`),
    'C, submit': submit,
  };
}

async function compare(plain: Calls, citus: Calls): Promise<void> {
  const table: Record<string, Record<string, string>> = {};
  planSteps(Object.keys(plain).length);
  for (const name of Object.keys(plain)) {
    reportProgress(name);
    const times = await inTurn(
      { plain: () => timesOf(plain[name]!), citus: () => timesOf(citus[name]!) },
      ROUNDS,
    );
    const [before, after] = [times.plain.flat(), times.citus.flat()];
    const [p50, p99] = [0.5, 0.99].map((share) => [quantile(before, share), quantile(after, share)] as const);
    table[name] = {
      'plain p50 ms': p50![0].toFixed(2),
      'Citus p50 ms': p50![1].toFixed(2),
      'ratio (aim: 3)': (p50![1] / p50![0]).toFixed(2),
      'plain p99 ms': p99![0].toFixed(2),
      'Citus p99 ms': p99![1].toFixed(2),
    };
  }
  console.table(table);
}

async function timesOf(call: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < CALLS; n++) times.push(await milliseconds(call));
  return times;
}

async function expectSuccess(url: string, request: RequestInit = {}): Promise<void> {
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
}
