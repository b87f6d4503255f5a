import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  imageEnvironment,
  startPostgres,
  startRedis,
  startService,
  type LocalServer,
  type ServiceProcess,
} from '@cxp/local-servers';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import type { Call } from './measure';
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
const KEYS = { SERVICE_TOKEN_KEYS: 'bench:0123456789abcdef0123456789abcdef' };

/** Services of one revision over stores of their own, and the calls that rows make. */
export class Target {
  readonly caches = new Map<string, unknown>();
  private readonly processes = new Map<ServiceUnderTest, ServiceProcess>();

  private constructor(
    readonly revision: Revision,
    readonly postgres: LocalServer,
    readonly redis: LocalServer,
  ) {}

  static async start(revision: Revision): Promise<Target> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    const target = new Target(revision, postgres, redis);
    await revision.cxp(target.stores, 'migrate');
    return target;
  }

  private get stores() {
    return { DATABASE_URL: this.postgres.url, REDIS_URL: this.redis.url };
  }

  /** Starts services as their images run them, without rate limits. */
  async startServices(services: readonly ServiceUnderTest[], env: Environment = {}): Promise<void> {
    const inOrder = [...services].reverse();
    let addressOfB: Environment = {};
    for (const service of inOrder) {
      const started = await this.startProcess(service, this.revision.entryOf(service.name), {
        ...addressOfB,
        ...env,
      });
      this.processes.set(service, started);
      // Area A sends to area B, which has started before it.
      if (service.portVariable === 'CONTACT_CENTER_PORT')
        addressOfB = { CONTACT_CENTER_RECORDS_URL: `${started.url}/internal/records` };
    }
  }

  /** The bare handlers in place of a service, over the same stores. */
  startBare(service: ServiceUnderTest, entry: string, env: Environment): Promise<ServiceProcess> {
    return this.startProcess(service, `tools/bench/src/${entry}`, env);
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
    const rights = ['--all-permissions', '--platform', '--json'];
    const printed = await revision.cxp(
      stores,
      ...['token', 'create', '--organization', organizationId, '--name', 'bench', ...rights],
    );
    const { token } = JSON.parse(printed) as { token: string };
    const headers = {
      authorization: `Bearer ${token}`,
      'organization-id': organizationId,
      'auth-type': 'token',
    };
    return { organizationId, headers };
  }

  /** Calls again after a 429, as a client does. @throws when the answer is another error */
  async call(service: ServiceUnderTest, call: Call): Promise<Response> {
    const { path, ...init } = call;
    const answer = await fetch(this.process(service).url + path, init);
    if (answer.status === 429) {
      await answer.arrayBuffer();
      await sleep(Number(answer.headers.get('retry-after')) * 1_000);
      return this.call(service, call);
    }
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${(await answer.text()).slice(0, 500)}`);
    return answer;
  }

  /** Sends records through the intake, one request after the other. @returns how long the requests took, in seconds */
  async store(service: ServiceUnderTest, { headers }: Caller, records: Iterable<object>): Promise<number> {
    let seconds = 0;
    let lines: string[] = [];
    const send = async () => {
      const body = lines.join('\n');
      lines = [];
      const start = performance.now();
      await (
        await this.call(service, {
          method: 'POST',
          path: '/internal/records',
          headers: { ...headers, 'content-type': 'application/x-ndjson' },
          body,
        })
      ).text();
      seconds += (performance.now() - start) / 1_000;
    };
    for (const record of records) {
      lines.push(JSON.stringify(record));
      if (lines.length === INTAKE_LINES) await send();
    }
    if (lines.length > 0) await send();
    return seconds;
  }

  /** What autovacuum would do meanwhile. */
  async vacuum(): Promise<void> {
    const client = new Client({ connectionString: this.postgres.url });
    await client.connect();
    await client.query('VACUUM (ANALYZE)');
    await client.end();
  }

  /** From the start of a further process of a service to its first 200 of `/health/ready`, in milliseconds. */
  async startOnce(service: ServiceUnderTest): Promise<number> {
    const start = performance.now();
    const process = await this.startProcess(service, this.revision.entryOf(service.name), {});
    const took = performance.now() - start;
    await process.stop();
    return took;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.processes.values()].map((process) => process.stop()));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }

  private startProcess(service: ServiceUnderTest, entry: string, env: Environment): Promise<ServiceProcess> {
    return startService({
      entry,
      portVariable: service.portVariable,
      env: {
        ...imageEnvironment(),
        ...service.settings,
        ...KEYS,
        ...this.stores,
        LISTEN_HOST: '127.0.0.1',
        LOG_LEVEL: 'warn',
        ...env,
      },
    });
  }
}
