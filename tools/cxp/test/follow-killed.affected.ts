import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'pg';
import { CxpClient, type ConversationSession } from '@cxp/client';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { startService, type ServiceProcess } from '@cxp/local-servers';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { createTestDatabase, runs } from '@cxp/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { CXP, runCxp } from './cxp-process';
import { random, randomContactCenterRecords, randomSurveyRecords } from './random-records';

/** How long it is written, read and killed. */
const MINUTES = runs(15) / 60;
const WRITERS = 3;

interface KilledArea {
  readonly name: 'contact-center' | 'survey';
  readonly app: string;
  readonly portVariable: string;
  readonly table: string;
  readonly startDatabases: () => Promise<TestService>;
  readonly randomRecords: () => object[];
}

const AREAS: readonly KilledArea[] = [
  {
    name: 'contact-center',
    app: 'contact-center-export',
    portVariable: 'CONTACT_CENTER_PORT',
    table: 'conversation_session',
    startDatabases: () => startTestService(ContactCenterModule, contactCenterDatabase),
    randomRecords: randomContactCenterRecords,
  },
  {
    name: 'survey',
    app: 'survey-api',
    portVariable: 'SURVEY_PORT',
    table: 'survey_response',
    startDatabases: () => startTestService(SurveyModule, surveyDatabase),
    randomRecords: randomSurveyRecords,
  },
];

let written = 0;

it.each(AREAS)(
  'a follower and the service of $name lose and double nothing, wherever they are killed beside random writes',
  async (area) => {
    const service = await area.startDatabases();
    const target = await createTestDatabase();
    const caller = await service.caller();
    const killed = new KilledService(service, area);
    written = 0;
    await killed.start();
    const end = Date.now() + MINUTES * 60_000;
    let failed = false;
    const isOver = () => failed || Date.now() >= end;
    const kills = { service: 0, follower: 0 };
    await Promise.all([
      ...Array.from({ length: WRITERS }, () => write(area, killed, caller, isOver)),
      killFollowers(area, killed, caller, target.url, isOver, () => kills.follower++),
      (async () => {
        while (!isOver()) {
          await sleep(1_000 + random(5_000));
          await killed.restart();
          kills.service++;
        }
      })(),
    ]).catch((error: unknown) => {
      failed = true;
      throw error;
    });
    await killed.stop();

    const summary = await verified(area, service, caller, target.url);
    console.log(`${area.name}: ${MINUTES} minutes, ${written} requests stored`, kills, summary);
    expect(summary.verified.mended).toEqual([]);
    await expectCopyOfFeed(area, service, caller, target.url);
    if (area.name === 'contact-center') await expectCopyOfExport(service, caller, target.url);
    await target.drop();
    await service.stop();
  },
  MINUTES * 60_000 + 300_000,
);

/** A service of its own, over the databases of another one, that is killed and started again. */
class KilledService {
  private process: ServiceProcess | undefined;

  constructor(
    private readonly databases: TestService,
    private readonly area: KilledArea,
  ) {}

  get url(): string {
    return this.process!.url;
  }

  async start(): Promise<void> {
    this.process = await startService({
      entry: `dist/apps/${this.area.app}/main.js`,
      env: { ...this.databases.environment, LOG_LEVEL: 'fatal' },
      portVariable: this.area.portVariable,
    });
  }

  async restart(): Promise<void> {
    this.process!.signal('SIGKILL');
    await this.process!.exited;
    await this.start();
  }

  async stop(): Promise<void> {
    await this.process!.stop();
  }
}

/** A request whose answer is lost is sent again, as every client does. */
async function write(
  area: KilledArea,
  service: KilledService,
  caller: Caller,
  isOver: () => boolean,
): Promise<void> {
  while (!isOver()) {
    const body = Array.from({ length: 1 + random(30) }, area.randomRecords)
      .flat()
      .map((record) => JSON.stringify(record))
      .join('\n');
    for (let isStored = false; !isStored && !isOver();) {
      const answer = await fetch(`${service.url}/internal/records`, {
        method: 'POST',
        headers: { ...caller.headers, 'content-type': 'application/x-ndjson' },
        body,
      }).catch(() => undefined);
      isStored = answer?.status === 200;
      if (!isStored) await sleep(100);
    }
    written++;
    await sleep(random(100));
  }
}

interface VerifiedSummary {
  readonly rows: number;
  readonly change: number;
  readonly verified: { readonly groups: number; readonly mended: readonly string[] };
}

async function verified(
  area: KilledArea,
  service: TestService,
  caller: Caller,
  copy: string,
): Promise<VerifiedSummary> {
  const { status, stdout, stderr } = await runCxp({}, [
    ...['follow', ...followed(area, service, caller)],
    ...['--to', copy, '--once', '--verify', '--json'],
  ]);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return JSON.parse(stdout) as VerifiedSummary;
}

function followed(area: KilledArea, { url }: { url: string }, { organizationId, token }: Caller): string[] {
  return ['--area', area.name, '--organization', organizationId, '--url', url, '--token', token];
}

async function killFollowers(
  area: KilledArea,
  service: KilledService,
  caller: Caller,
  target: string,
  isOver: () => boolean,
  onKill: () => void,
): Promise<void> {
  while (!isOver()) {
    const follower = spawn(
      process.execPath,
      [...CXP, 'follow', ...followed(area, service, caller), '--to', target],
      {
        env: { PATH: process.env.PATH },
        stdio: ['ignore', 'ignore', 'pipe'],
      },
    );
    const exited = once(follower, 'exit');
    await Promise.race([once(follower.stderr, 'data'), exited, sleep(15_000)]);
    await sleep(random(3_000));
    follower.kill('SIGKILL');
    await exited;
    onKill();
  }
}

interface FedRow {
  readonly op: string;
  readonly change: number;
  readonly digest: string;
  readonly row: object;
}

/** The copy holds exactly the rows that the feed has for a reader who starts at the beginning. */
async function expectCopyOfFeed(
  area: KilledArea,
  service: TestService,
  caller: Caller,
  target: string,
): Promise<void> {
  const { stdout } = await runCxp({}, ['follow', ...followed(area, service, caller), '--to', '-', '--once']);
  const lines = stdout.split('\n').filter((line) => line !== '');
  const items = lines.map((line) => JSON.parse(line) as FedRow).filter(({ op }) => op === 'upsert');
  const pool = new Pool({ connectionString: target });
  const { rows } = await pool.query<FedRow>(`SELECT change::integer, digest, "row" FROM ${area.table}`);
  await pool.end();
  const byChange = <Row extends { readonly change: unknown }>(all: readonly Row[]) =>
    [...all].sort((one, other) => Number(one.change) - Number(other.change));
  expect(byChange(rows)).toEqual(byChange(items.map(({ change, digest, row }) => ({ change, digest, row }))));
}

/** The copy holds exactly the rows that the export lists, field by field. */
async function expectCopyOfExport(service: TestService, caller: Caller, target: string): Promise<void> {
  const { organizationId, token } = caller;
  const client = new CxpClient({ organizationId, token, urls: { contactCenter: service.url } });
  const listed: ConversationSession[] = [];
  for await (const row of client.conversationSessions.list({
    startDate: '2000-01-01',
    endDate: '2099-12-31',
  })) {
    listed.push(row);
  }
  const pool = new Pool({ connectionString: target });
  const { rows } = await pool.query<{ row: ConversationSession }>('SELECT "row" FROM conversation_session');
  await pool.end();
  const byKey = (all: readonly ConversationSession[]) =>
    new Map(all.map((row) => [JSON.stringify([row.conversationId, row.sessionIndex, row.ticketId]), row]));
  expect(rows).toHaveLength(listed.length);
  expect(byKey(rows.map(({ row }) => row))).toEqual(byKey(listed));
}
