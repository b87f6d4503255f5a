import { DataSource } from 'typeorm';
import { buildDeployable } from '@cxp/build';
import {
  imageEnvironment,
  startPostgres,
  startRedis,
  type LocalServer,
  type ServiceProcess,
} from '@cxp/local-servers';
import { ALL_AREAS, startBuilt, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { migrate } from '@cxp/storage';

type Environment = Readonly<Record<string, string>>;

/** Builds services, for a stack to start them. */
export async function buildServices(services: readonly ServiceUnderTest[]): Promise<void> {
  for (const { name } of services) await buildDeployable(`apps/${name}`);
}

/** Stores with all schemas, and services over them as their images run them. */
export class BenchStack {
  private readonly processes: ServiceProcess[] = [];

  private constructor(
    readonly postgres: LocalServer,
    readonly redis: LocalServer,
    readonly dataSource: DataSource,
  ) {}

  static async start(): Promise<BenchStack> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    for (const area of ALL_AREAS) await migrate(area, postgres.url);
    const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    return new BenchStack(postgres, redis, dataSource);
  }

  /** Without rate limits. */
  async startService(service: ServiceUnderTest, env: Environment = {}): Promise<ServiceProcess> {
    const environment = {
      ...imageEnvironment(),
      DATABASE_URL: this.postgres.url,
      REDIS_URL: this.redis.url,
      LOG_LEVEL: 'warn',
      ...env,
    };
    const process = await startBuilt(service, environment);
    this.processes.push(process);
    return process;
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await Promise.all(this.processes.map((process) => process.stop()));
    await Promise.all([this.postgres.stop(), this.redis.stop()]);
  }
}
