import { Client, DatabaseError, type ClientConfig } from 'pg';

/** How long a server that is there takes at most to take a connection and say what it does, in milliseconds. */
const ANSWER_MS = 1_000;

/** By the URL of the server. */
const activities = new Map<unknown, BackendActivity>();

/** What a PostgreSQL server is working on, asked over a connection that is made for the question. */
export class BackendActivity {
  private asked: Promise<ReadonlySet<number> | undefined> | undefined;

  private constructor(private readonly config: ClientConfig) {}

  /** One for all pools of a process, so that however many connections ask at once, the server is asked once. */
  static of(config: ClientConfig): BackendActivity {
    const server = config.connectionString ?? config;
    const activity = activities.get(server) ?? new BackendActivity(config);
    activities.set(server, activity);
    return activity;
  }

  /** Whether the server is at work for one of its processes; a server that is too busy to tell may be. */
  async isWorking(processId: number): Promise<boolean> {
    this.asked ??= this.ask().finally(() => (this.asked = undefined));
    try {
      const working = await this.asked;
      return working?.has(processId) ?? true;
    } catch {
      return false;
    }
  }

  /** @throws when nothing answers */
  private async ask(): Promise<ReadonlySet<number> | undefined> {
    const client = new Client({
      ...this.config,
      password: this.config.password, // A pool hides it from copies.
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', () => undefined);
    try {
      await client.connect();
      const { rows } = await client.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE state = 'active'`,
      );
      return new Set(rows.map(({ pid }) => pid));
    } catch (error) {
      if (error instanceof DatabaseError) return undefined;
      throw error;
    } finally {
      client.end().catch(() => undefined);
    }
  }
}
