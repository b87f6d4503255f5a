import { DataSource } from 'typeorm';
import { accessDatabase } from '@cxp/access';
import { buildDeployable } from '@cxp/build';
import { startPostgres, startRedis, startService, type ServiceProcess } from '@cxp/local-servers';
import { issueTestToken } from '@cxp/service-kit/testing';
import { migrate } from '@cxp/storage';
import { webchatDatabase } from '@cxp/webchat-gateway/database';
import { imageEnvironment } from '../image-environment';
import { reportProgress } from '../progress';

export const PREPARING_STEPS = 2;
const PORT_VARIABLE = 'WEBCHAT_PORT';

/** Stores, and processes over them: webchat-gateway as its image runs it, and bare ones with the same settings. */
export class WebchatUnderTest {
  private readonly processes: ServiceProcess[] = [];

  private constructor(
    private readonly stores: readonly { stop(): Promise<void> }[],
    readonly dataSource: DataSource,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  get redisUrl(): string {
    return this.env.REDIS_URL!;
  }

  static async prepare(): Promise<WebchatUnderTest> {
    const [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
    reportProgress('build apps/webchat-gateway');
    await buildDeployable('apps/webchat-gateway');
    reportProgress('migrate');
    for (const area of [accessDatabase, webchatDatabase]) await migrate(area, postgres.url);
    const dataSource = await new DataSource({ type: 'postgres', url: postgres.url }).initialize();
    const env = {
      ...imageEnvironment(),
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      // The bare handlers log nothing.
      LOG_LEVEL: 'warn',
      WEBCHAT_WEBSOCKET_URL: 'wss://bench/sessions',
      WEBCHAT_SESSION_TOKEN_KEYS: 'bench:0123456789abcdef0123456789abcdef',
      WEBCHAT_SOCKET_FRAMES_PER_SEC: '1000000',
      EXTERNAL_WEBCHAT_PER_SEC_LIMIT: '1000000',
      EXTERNAL_WEBCHAT_PER_MIN_LIMIT: '1000000',
    };
    return new WebchatUnderTest([postgres, redis], dataSource, env);
  }

  /** An organization with a token and the installed source 1. @returns the headers of its calls */
  async addOrganization(organizationId: string): Promise<Record<string, string>> {
    const { headers } = await issueTestToken(this.dataSource, { organizationId });
    await this.dataSource.query(
      `INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`,
      [organizationId],
    );
    return { ...headers, 'content-type': 'application/json' };
  }

  /** Stores conversations of the users `known-<from>` to `known-<to>`. */
  async addConversations(organizationId: string, from: number, to: number): Promise<void> {
    await this.dataSource.query(
      `INSERT INTO webchat.conversation (organization_id, user_id)
       SELECT $1, 'known-' || n FROM generate_series($2::int, $3::int) AS n`,
      [organizationId, from, to],
    );
    await this.dataSource.query('ANALYZE');
  }

  startGateway(env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    return this.start('dist/apps/webchat-gateway/main.js', env);
  }

  async start(entry: string, env: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> {
    const process = await startService({
      entry,
      env: { ...this.env, ...env },
      portVariable: PORT_VARIABLE,
    });
    this.processes.push(process);
    return process;
  }

  async stop(): Promise<void> {
    await this.dataSource.destroy();
    await Promise.all(this.processes.map((process) => process.stop()));
    await Promise.all(this.stores.map((store) => store.stop()));
  }
}
