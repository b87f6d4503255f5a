import { DataSource } from 'typeorm';
import { buildDeployable } from '@cxp/build';
import {
  imageEnvironment,
  startPostgres,
  startRedis,
  type LocalServer,
  type LocalServerOptions,
  type ServiceProcess,
} from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { ALL_AREAS, startBuilt, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';
import { planSteps, reportProgress } from './progress';

export type RequestHeaders = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string>>;

/** Builds services, for a stack to start them. Reports a step for each. */
export async function buildServices(services: readonly ServiceUnderTest[]): Promise<void> {
  planSteps(services.length);
  for (const { name } of services) {
    reportProgress(`build apps/${name}`);
    await buildDeployable(`apps/${name}`);
  }
}

/**
 * Builds services, and gives a benchmark a stack for them until it ends.
 * @param steps that it reports, beside the builds
 */
export async function withStack(
  services: readonly ServiceUnderTest[],
  steps: number,
  work: (stack: BenchStack) => Promise<void>,
): Promise<void> {
  planSteps(steps);
  await buildServices(services);
  const stack = await BenchStack.start();
  try {
    await work(stack);
  } finally {
    await stack.stop();
  }
}

/** Stores with all schemas, and processes over them: services as their images run them, and bare implementations. */
export class BenchStack {
  private readonly processes: ServiceProcess[] = [];

  private constructor(
    readonly postgres: LocalServer,
    readonly redis: LocalServer,
    readonly dataSource: DataSource,
  ) {}

  /** @param options of PostgreSQL */
  static async start(options: LocalServerOptions = {}): Promise<BenchStack> {
    const [postgres, redis] = await Promise.all([startPostgres(options), startRedis()]);
    for (const area of ALL_AREAS) await migrate(area, postgres.url);
    return BenchStack.over(postgres, redis);
  }

  /** @param postgres with all schemas */
  static async over(postgres: LocalServer, redis: LocalServer): Promise<BenchStack> {
    const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    return new BenchStack(postgres, redis, dataSource);
  }

  /** Without rate limits. @param entry a bare implementation in its place, below `tools/bench/src` */
  async startService(
    service: ServiceUnderTest,
    env: Environment = {},
    entry?: string,
  ): Promise<ServiceProcess> {
    const environment = {
      ...imageEnvironment(),
      DATABASE_URL: this.postgres.url,
      REDIS_URL: this.redis.url,
      // The bare handlers log nothing.
      LOG_LEVEL: 'warn',
      ...env,
    };
    const process = await startBuilt(service, environment, entry && `tools/bench/src/${entry}`);
    this.processes.push(process);
    return process;
  }

  /** A service, and what it is compared with. Reports a step. */
  async startBoth(
    service: ServiceUnderTest,
    entry: string,
    env: Environment = {},
  ): Promise<{ readonly service: ServiceProcess; readonly bare: ServiceProcess }> {
    reportProgress('start the service and the bare implementation');
    return {
      service: await this.startService(service, env),
      bare: await this.startService(service, env, entry),
    };
  }

  /** @returns the headers of its calls */
  async addOrganization(organizationId: string): Promise<RequestHeaders> {
    return (await issueTestToken(this.dataSource, { organizationId })).headers;
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await Promise.all(this.processes.map((process) => process.stop()));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }
}
