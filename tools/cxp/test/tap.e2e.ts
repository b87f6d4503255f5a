import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { ChangeFeedMaintenance } from '@cxp/change-feed';
import { CxpClient } from '@cxp/client';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { AppModule as ContactCenterModule } from '@cxp/contact-center-export/app.module';
import { type Caller, startTestService, type TestService } from '@cxp/service-kit/testing';
import { surveyDatabase } from '@cxp/survey-api/database';
import { AppModule as SurveyModule } from '@cxp/survey-api/app.module';
import { type FollowedArea, followedAreas } from '../src/follow/followed-area';
import { type Catalog, discover, type SingerState, tap } from '../src/tap/tap';
import { runCxp } from './cxp-process';
import { random, randomContactCenterRecords, randomSurveyRecords } from './random-records';

type Row = Record<string, unknown>;
type Message =
  | { type: 'SCHEMA'; stream: string; key_properties: string[]; schema: object }
  | { type: 'RECORD'; stream: string; record: Row }
  | { type: 'STATE'; value: SingerState };

const ajv = new Ajv({ allowUnionTypes: true, formats: { 'date-time': /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/ } });

/** A target that checks each record against its schema, and stores rows and state together, as a target in a database does. */
class Target {
  state: SingerState = {};
  readonly rows = new Map<string, Row>();
  private readonly waiting: [key: string, record: Row][] = [];
  private readonly schemas = new Map<string, { check: ValidateFunction; keys: readonly string[] }>();

  apply(message: Message): void {
    switch (message.type) {
      case 'SCHEMA':
        this.schemas.set(message.stream, {
          check: ajv.compile(message.schema),
          keys: message.key_properties,
        });
        break;
      case 'RECORD': {
        const { check, keys } = this.schemas.get(message.stream)!;
        if (!check(message.record)) throw new Error(ajv.errorsText(check.errors));
        for (const key of keys) expect(message.record[key]).toEqual(expect.any(String));
        this.waiting.push([JSON.stringify(keys.map((key) => message.record[key])), message.record]);
        break;
      }
      case 'STATE':
        for (const [key, record] of this.waiting.splice(0)) {
          if (record._sdc_deleted_at === null) this.rows.set(key, record);
          else this.rows.delete(key);
        }
        this.state = JSON.parse(JSON.stringify(message.value)) as SingerState;
    }
  }

  /** What was not followed by a state is lost with the process. */
  kill(): void {
    this.waiting.length = 0;
  }
}

interface TappedArea {
  readonly name: FollowedArea['name'];
  /** Removes what the random record of that number may be. */
  readonly removal: (n: number) => object;
  readonly start: () => Promise<TestService>;
  readonly randomRecords: () => { readonly type: string }[];
}

const AREAS: readonly TappedArea[] = [
  {
    name: 'contact-center',
    start: () => startTestService(ContactCenterModule, contactCenterDatabase),
    randomRecords: randomContactCenterRecords,
    removal: (n) => ({ type: 'conversation', op: 'delete', data: { id: `c-${n}` } }),
  },
  {
    name: 'survey',
    start: () => startTestService(SurveyModule, surveyDatabase),
    randomRecords: randomSurveyRecords,
    removal: (n) => ({
      ...{ type: 'survey_response', op: 'delete' },
      data: { identifier: `00000000-0000-4000-8000-${String(1_000 + n).padStart(12, '0')}` },
    }),
  },
];
const SCHEDULE = { type: 'human_schedule', data: { weekly: [{ weekday: 1, start: '08:00', end: '17:30' }] } };

describe.each(AREAS)('a tap of $name', ({ name, start, randomRecords, removal }) => {
  const area = followedAreas.find((one) => one.name === name)!;
  let service: TestService;
  let caller: Caller;
  let client: CxpClient;
  let target: Target;
  let reports: string[];

  beforeAll(async () => {
    service = await start();
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    caller = await service.caller();
    const { organizationId, token } = caller;
    client = new CxpClient({ organizationId, token, urls: { [area.urlKey]: service.url } });
    target = new Target();
    reports = [];
  });

  /** @param messages after which it is killed */
  async function run(messages = Infinity, catalog?: Catalog): Promise<boolean> {
    let left = messages;
    const write = async (message: object) => {
      if (left-- <= 0) throw new Error('killed');
      target.apply(message as Message);
    };
    const report = (line: string) => void reports.push(line);
    const options = {
      client,
      areas: [area],
      state: target.state,
      write,
      report,
      ...(catalog && { catalog }),
    };
    const error = await tap(options).catch((reason: Error) => reason);
    if (error && error.message !== 'killed') throw error;
    target.kill();
    return !error;
  }

  async function load(records: readonly object[]): Promise<void> {
    const answer = await fetch(`${service.url}/internal/records`, {
      method: 'POST',
      headers: { ...caller.headers, 'content-type': 'application/x-ndjson' },
      body: records.map((record) => JSON.stringify(record)).join('\n'),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }

  const randomBatch = (count: number) => Array.from({ length: count }, randomRecords).flat();
  const randomLoad = (count: number) => load(randomBatch(count));

  /** The target holds what a reader who begins now finds. */
  async function expectCopyOfFeed(): Promise<void> {
    const rows: object[] = [];
    for await (const line of area.lines(client, { once: true })) {
      if (line.op === 'upsert')
        rows.push({ ...line.row, [area.extraColumn.member]: area.extraColumn.valueOf(line) });
    }
    const copied = [...target.rows.values()].map(({ _key: _, _sdc_deleted_at: __, ...row }) => row);
    const sorted = (all: object[]) => all.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
    expect(sorted(copied)).toEqual(sorted(rows));
  }

  it('loses and doubles nothing, wherever it is killed and started again with the last state', async () => {
    await randomLoad(200);
    for (let messages = 1; !(await run(messages)); messages += 47) await randomLoad(20);
    for (let round = 0; round < 6; round += 1) {
      await randomLoad(30);
      if (round === 3 && name === 'contact-center') await load([SCHEDULE]);
      await run(1 + random(40));
    }
    await run();
    expect(target.rows.size).toBeGreaterThan(50);
    await expectCopyOfFeed();
  });

  it('says when its state has expired, and reads all rows again', async () => {
    await randomLoad(300);
    await run();
    await load(Array.from({ length: 300 }, (_, n) => removal(n)));
    await service.app.get(ChangeFeedMaintenance).prune(new Date(Date.now() + 1_000));
    await run();
    expect(reports).toEqual([expect.stringMatching(/^the state has expired/)]);
  });

  it('reads what a catalog chooses, and always the key', async () => {
    await randomLoad(300);
    const [stream] = discover([area]).streams;
    const none = { metadata: stream!.metadata.map((one) => ({ ...one, metadata: { selected: false } })) };
    await run(Infinity, { streams: [{ ...stream!, ...none }] });
    expect([target.rows.size, target.state]).toEqual([0, {}]);
    const onlyStream = none.metadata.map((one) =>
      one.breadcrumb.length === 0 ? { ...one, metadata: { selected: true } } : one,
    );
    await run(Infinity, { streams: [{ ...stream!, metadata: onlyStream }] });
    expect(target.rows.size).toBeGreaterThan(0);
    for (const row of target.rows.values())
      expect(Object.keys(row)).toEqual([...stream!.key_properties, '_sdc_deleted_at']);
  });
  it('is a command whose output is messages only', async () => {
    await randomLoad(300);
    const directory = mkdtempSync(join(tmpdir(), 'cxp-tap-'));
    const file = (fileName: string, value: object) => {
      writeFileSync(join(directory, fileName), JSON.stringify(value));
      return join(directory, fileName);
    };
    const { organizationId, token } = caller;
    const url = name === 'survey' ? 'survey_url' : 'contact_center_url';
    const config = file('config.json', { organization_id: organizationId, token, [url]: service.url });
    const catalog = await runCxp({}, ['tap', '--config', config, '--discover']);
    expect(JSON.parse(catalog.stdout)).toEqual(discover([area]));
    const args = ['tap', '--config', config, '--catalog', file('catalog.json', discover([area]))];
    for (const state of [[], ['--state', join(directory, 'state.json')]]) {
      const { status, stdout, stderr } = await runCxp({}, [...args, ...state]);
      expect([status, stderr]).toEqual([0, '']);
      for (const line of stdout.trim().split('\n')) target.apply(JSON.parse(line) as Message);
      file('state.json', target.state);
      await expectCopyOfFeed();
      // A schedule would be reported as a reason to read all rows again.
      await load(randomBatch(20).filter(({ type }) => type !== SCHEDULE.type));
    }
    rmSync(directory, { recursive: true });
  });
});

it.each<[what: string, config: string, words: RegExp]>([
  ['no JSON', 'x', /is no JSON object$/],
  ['no token', '{"organization_id": "o"}', /needs organization_id and token$/],
  ['no area', '{"organization_id": "o", "token": "t"}', /needs contact_center_url or survey_url$/],
])('a configuration with %s is a wrong usage', async (_, config, words) => {
  const directory = mkdtempSync(join(tmpdir(), 'cxp-tap-'));
  const file = join(directory, 'config.json');
  writeFileSync(file, config);
  const { status, stdout, stderr } = await runCxp({}, ['tap', '--config', file]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr.trim()).toMatch(words);
  rmSync(directory, { recursive: true });
});
