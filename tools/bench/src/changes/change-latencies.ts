import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { postRecords } from '@cxp/services/workloads';
import { atPace } from '../load';
import type { Target } from '../load-records';

const REQUESTS_PER_SECOND = 25;

interface Page {
  readonly items: readonly { readonly op: string; readonly key: { readonly conversationId: string } }[];
  readonly nextCursor: string;
  readonly hasMore: boolean;
}

/**
 * Stores conversations at a rate while one reader waits for changes.
 * @returns for each change the milliseconds from the answer of its intake, which follows the commit, to the reader's answer
 */
export async function changeLatencies(
  target: Target,
  recordsPerSecond: number,
  seconds: number,
): Promise<number[]> {
  const storedAt = new Map<string, number>();
  const seenAt = new Map<string, number>();
  let cursor = await lastCursor(target);
  let isWriting = true;
  const reading = (async () => {
    while (isWriting || seenAt.size < storedAt.size) {
      const page = await changes(target, `wait=2&limit=1000&cursor=${cursor}`);
      const now = performance.now();
      for (const { key } of page.items) seenAt.set(key.conversationId, seenAt.get(key.conversationId) ?? now);
      cursor = page.nextCursor;
    }
  })();
  // A conversation and its activity are two records, and one change.
  const count = recordsPerSecond / REQUESTS_PER_SECOND / 2;
  await atPace(REQUESTS_PER_SECOND, seconds, async (request) => {
    const ids = Array.from({ length: count }, (_, number) => `live-${request}-${number}`);
    await store(target, ids);
    for (const id of ids) storedAt.set(id, performance.now());
  });
  isWriting = false;
  await reading;
  return [...storedAt].map(([id, at]) => Math.max(0, seenAt.get(id)! - at));
}

async function lastCursor(target: Target): Promise<string> {
  let page = await changes(target, 'limit=1000');
  while (page.hasMore) page = await changes(target, `limit=1000&cursor=${page.nextCursor}`);
  return page.nextCursor;
}

async function changes({ url, headers }: Target, query: string): Promise<Page> {
  const response = await fetch(`${url}/external/conversation-session-changes?${query}`, { headers });
  if (response.status !== 200) throw new Error(`changes answered ${response.status}`);
  return (await response.json()) as Page;
}

async function store({ url, headers }: Target, ids: readonly string[]): Promise<void> {
  const at = new Date().toISOString();
  const agent = { accountId: 1, email: 'agent-1@example.com', name: 'Agent 1' };
  const records = ids.flatMap((id) => [
    { type: 'conversation', data: { id, createdAt: at, updatedAt: at } },
    { type: 'activity', data: { id, conversationId: id, action: 'assign', occurredAt: at, agent } },
  ]);
  const { path, ...request } = postRecords({ headers }, records);
  const send = () => fetch(url + path, request);
  let response = await send();
  // The organization has its share of intakes under way: this machine does not keep up with the rate.
  while (response.status === 429) {
    await sleep(50);
    response = await send();
  }
  if (response.status !== 200) throw new Error(`intake answered ${response.status}`);
}
