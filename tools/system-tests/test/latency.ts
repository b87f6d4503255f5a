import { setTimeout as sleep } from 'node:timers/promises';
import { send, type HttpRequest } from '../src/http';

const PAUSE_MS = 10;

/**
 * How long 99 of 100 calls take at most, in milliseconds.
 * @throws if one is not answered with the status
 */
export async function p99(url: string, request: HttpRequest, status: number, forMs: number): Promise<number> {
  const took: number[] = [];
  const endsAt = Date.now() + forMs;
  while (Date.now() < endsAt) {
    const startedAt = performance.now();
    const answer = await send(url, request);
    if (answer.status !== status) throw new Error(`a call is answered ${answer.status}: ${answer.text}`);
    took.push(performance.now() - startedAt);
    await sleep(PAUSE_MS);
  }
  return took.sort((one, other) => one - other)[Math.floor(took.length * 0.99)]!;
}

/** @returns ends the calls */
export function callWithoutPause(url: string, request: HttpRequest): () => Promise<void> {
  let isOver = false;
  const calls = (async () => {
    while (!isOver) await send(url, request);
  })();
  return () => {
    isOver = true;
    return calls;
  };
}
