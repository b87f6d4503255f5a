import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { buildDeployable } from '@cxp/build';
import { startPostgres, startRedis, type LocalServer, type ServiceProcess } from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import type { ServiceUnderTest } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';
import { planSteps, reportProgress } from './progress';
import { startUnderTest } from './start-under-test';

export type RequestHeaders = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string>>;

/** Stores with the schemas of a service, and processes over them: the service as its image runs it, and bare implementations. */
export class BenchStack {
  private readonly processes: ServiceProcess[] = [];

  private constructor(
    readonly service: ServiceUnderTest,
    readonly postgres: LocalServer,
    readonly redis: LocalServer,
    readonly dataSource: DataSource,
  ) {}

  /** Reports two steps. */
  static async start(
    service: ServiceUnderTest,
    startStore: () => Promise<LocalServer> = startPostgres,
  ): Promise<BenchStack> {
    planSteps(2);
    reportProgress(`build apps/${service.name}`);
    await buildDeployable(`apps/${service.name}`);
    reportProgress('start PostgreSQL and Redis, migrate');
    const [postgres, redis] = await Promise.all([startStore(), startRedis()]);
    for (const area of [accessDatabase, service.area]) await migrate(area, postgres.url);
    const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    return new BenchStack(service, postgres, redis, dataSource);
  }

  startService(env?: Environment): Promise<ServiceProcess> {
    return this.run({ env });
  }

  /** @param entry below `tools/bench/src` */
  startBare(entry: string, env?: Environment): Promise<ServiceProcess> {
    return this.run({ entry: `tools/bench/src/${entry}`, env });
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

  private async run(options: {
    readonly entry?: string;
    readonly env?: Environment;
  }): Promise<ServiceProcess> {
    const process = await startUnderTest(this.service, this, options);
    this.processes.push(process);
    return process;
  }
}
