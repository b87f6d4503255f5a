import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { Caller } from '@cxp/service-kit/testing';
import { send, type HttpAnswer, type HttpRequest } from './http';
import type { Operation } from './workloads';

/** What came of one call of a load. */
export interface LoadResult {
  readonly operation: Operation;
  readonly n: number;
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** None when the connection broke; then `error` says how. */
  readonly answer?: HttpAnswer;
  readonly error?: unknown;
}

/** The pause between a caller's calls, in milliseconds: steady, but not as fast as two cores can. */
const PAUSE_MS = 30;

/** Calls every operation again and again, each from callers of its own, until it is stopped. */
export class Load {
  readonly results: LoadResult[] = [];
  private stopping = false;
  private readonly callers: Promise<void>[];
  private next = 1;

  constructor(
    operations: readonly Operation[],
    private readonly caller: Caller,
    private readonly call: (request: HttpRequest, callerIndex: number) => Promise<HttpAnswer>,
    callersPerOperation = 1,
  ) {
    const all = Array.from({ length: callersPerOperation }, () => operations).flat();
    this.callers = all.map((operation, index) => this.repeat(operation, index));
  }

  static against(url: string, operations: readonly Operation[], caller: Caller): Load {
    return new Load(operations, caller, (request) => send(url, request));
  }

  async stop(): Promise<readonly LoadResult[]> {
    this.stopping = true;
    await Promise.all(this.callers);
    return this.results;
  }

  private async repeat(operation: Operation, callerIndex: number): Promise<void> {
    while (!this.stopping) {
      const n = this.next++;
      const startedAt = performance.now();
      const outcome = await this.call(operation.request(n, this.caller), callerIndex).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      );
      this.results.push({ operation, n, startedAt, endedAt: performance.now(), ...outcome });
      await sleep(PAUSE_MS);
    }
  }
}

export function succeeded({ answer, operation }: LoadResult): boolean {
  return answer?.status === operation.success;
}

/** A result in one line, for the messages of failed tests. */
export function describeResult({ operation, startedAt, endedAt, answer, error }: LoadResult): string {
  const outcome = answer ? `${answer.status} ${answer.text.slice(0, 200)}` : String(error);
  return `${operation.name}: ${outcome} after ${Math.round(endedAt - startedAt)} ms`;
}

/**
 * Compares the acknowledged writes of a load with what is stored.
 * @returns a line for everything that was acknowledged and is not there exactly as it was, and for everything doubled
 */
export async function findDifferences(
  databaseUrl: string,
  organizationId: string,
  results: readonly LoadResult[],
): Promise<string[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const found: string[] = [];
    for (const operation of new Set(results.map((result) => result.operation))) {
      found.push(...(await compare(client, organizationId, operation, results)));
    }
    return found;
  } finally {
    await client.end();
  }
}

async function compare(
  client: Client,
  organizationId: string,
  operation: Operation,
  results: readonly LoadResult[],
): Promise<string[]> {
  const { keeps } = operation;
  if (!keeps) return [];
  const { rows } = await client.query<{ key: string; id: string }>(keeps.sql, [organizationId]);
  const stored = new Map(rows.map(({ key, id }) => [key, id]));
  const doubled = rows.length - stored.size;
  const lost = results
    .filter((result) => result.operation === operation && succeeded(result))
    .filter(({ n, answer }) => stored.get(keeps.key(n)) !== keeps.id(answer!, n))
    .map(({ n }) => `${operation.name}: ${keeps.key(n)} was acknowledged and is lost`);
  return doubled > 0 ? [...lost, `${operation.name}: ${doubled} are stored twice`] : lost;
}
