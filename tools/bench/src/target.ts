import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  answersOk,
  imageEnvironment,
  startPostgres,
  startRedis,
  type LocalServer,
  type ServiceProcess,
  waitUntilReady,
} from '@cxp/local-servers';
import { send, type HttpAnswer, type HttpRequest } from '@cxp/services/http';
import { startBuilt, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { postRecords } from '@cxp/services/workloads';
import { milliseconds } from './measure';
import type { Revision } from './revision';

type Environment = Readonly<Record<string, string>>;

/** What a caller sends. */
export interface Caller {
  readonly organizationId: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Lines of an intake, fewer than it may have. */
const INTAKE_LINES = 5_000;

/** Settings that some revisions need, and others do not know. */
const KEY = 'bench:0123456789abcdef0123456789abcdef';
const KEYS = { SERVICE_TOKEN_KEYS: KEY, SURVEY_PAGE_KEYS: KEY };

/** Services of one revision over stores of their own, and the calls that rows make. */
export class Target {
  readonly caches = new Map<string, unknown>();
  private readonly processes = new Map<ServiceUnderTest, ServiceProcess>();
  private readonly started: ServiceProcess[] = [];

  private constructor(
    readonly revision: Revision,
    readonly postgres: LocalServer,
    readonly redis: LocalServer,
  ) {}

  /** @throws when the revision can't make its schemas; no store is left then */
  static async start(revision: Revision): Promise<Target> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const target = new Target(revision, postgres, redis);
    try {
      await revision.cxp(target.stores, 'migrate');
      return target;
    } catch (error) {
      await target.stop();
      throw error;
    }
  }

  private get stores() {
    return { DATABASE_URL: this.postgres.url, REDIS_URL: this.redis.url };
  }

  /** Starts services as their images run them, without rate limits. */
  async startServices(services: readonly ServiceUnderTest[], env: Environment = {}): Promise<void> {
    let addressOfB: Environment = {};
    for (const service of [...services].reverse()) {
      const started = await this.startProcess(service, { ...addressOfB, ...env });
      this.processes.set(service, started);
      // Area A sends to area B, which has started before it.
      if (service.portVariable === 'CONTACT_CENTER_PORT')
        addressOfB = { CONTACT_CENTER_RECORDS_URL: `${started.url}/internal/records` };
    }
  }

  /** One more process of a service, or another program in its place, over the same stores. It ends with the target. */
  async startProcess(
    service: ServiceUnderTest,
    env: Environment = {},
    entry = this.revision.entryOf(service.name),
  ): Promise<ServiceProcess> {
    const fixed = { ...imageEnvironment(), ...KEYS, ...this.stores, LOG_LEVEL: 'warn' };
    // An older commit does not answer which process is ready: any answer at the port counts.
    const { isHere } = this.revision;
    const started = await startBuilt(service, { ...fixed, ...env }, entry, isHere ? 'ready' : 'started');
    this.started.push(started);
    if (!isHere) await waitUntilReady(started, () => answersOk(`${started.url}/health/ready`));
    return started;
  }

  process(service: ServiceUnderTest): ServiceProcess {
    return this.processes.get(service)!;
  }

  /** The same stores, with another process in the place of a service. */
  with(service: ServiceUnderTest, process: ServiceProcess): Target {
    const target = new Target(this.revision, this.postgres, this.redis);
    for (const [each, started] of this.processes) target.processes.set(each, started);
    target.processes.set(service, process);
    return target;
  }

  /** A new organization with a token that may do everything. */
  async newCaller(organizationId = `bench-${randomUUID()}`): Promise<Caller> {
    const { stores, revision } = this;
    await revision.cxp(stores, 'organization', 'create', '--id', organizationId, '--name', organizationId);
    const create = ['token', 'create', '--organization', organizationId, '--name', 'bench', '--json'];
    const printed = await revision.cxp(stores, ...create, '--all-permissions', '--platform');
    const { token } = JSON.parse(printed) as { token: string };
    const headers = {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': 'token',
    };
    return { organizationId, headers };
  }

  /** Calls again after a 429, as a client does. @throws when the answer is another error */
  async call(service: ServiceUnderTest, request: HttpRequest): Promise<HttpAnswer> {
    const answer = await send(this.process(service).url, request);
    if (answer.status === 429) {
      await sleep(Number(answer.headers['retry-after']) * 1_000);
      return this.call(service, request);
    }
    if (answer.status >= 300)
      throw new Error(`${request.path}: ${answer.status} ${answer.text.slice(0, 500)}`);
    return answer;
  }

  /** Sends records through the intake, one request after the other. @returns how long the requests took, in seconds */
  async store(service: ServiceUnderTest, caller: Caller, records: Iterable<object>): Promise<number> {
    let took = 0;
    let lines: object[] = [];
    const sendLines = async () => {
      const request = postRecords(caller, lines);
      lines = [];
      took += await milliseconds(() => this.call(service, request));
    };
    for (const record of records) {
      lines.push(record);
      if (lines.length === INTAKE_LINES) await sendLines();
    }
    if (lines.length > 0) await sendLines();
    return took / 1_000;
  }

  /** What autovacuum would do meanwhile. */
  async vacuum(): Promise<void> {
    await this.query('VACUUM (ANALYZE)');
  }

  async query<Result extends object>(sql: string): Promise<Result[]> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    const { rows } = await client.query<Result>(sql);
    await client.end();
    return rows;
  }

  /** From the start of a further process of a service to its first 200 of `/health/ready`, in milliseconds. */
  async startOnce(service: ServiceUnderTest): Promise<number> {
    let process: ServiceProcess;
    const took = await milliseconds(async () => (process = await this.startProcess(service)));
    await process!.stop();
    return took;
  }

  async stop(): Promise<void> {
    await Promise.all(this.started.map((process) => process.stop()));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }
}
