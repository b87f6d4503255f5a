import { ApiError, ConnectionError } from '../errors';

export interface RetryOptions {
  /** 0 turns retries off. Default: 5. */
  readonly maxRetries?: number;
  /** Milliseconds before a retry. If `Retry-After` asks for more, the request fails. Default: 65,000. */
  readonly maxDelayMs?: number;
}

const DEFAULT_RETRIES = 5;
/** Slightly more than the longest window of the rate limits. */
const DEFAULT_MAX_DELAY_MS = 65_000;
const FIRST_DELAY_MS = 500;
const JITTER_MS = 250;

export class RetryPolicy {
  private readonly maxRetries: number;
  private readonly maxDelayMs: number;

  constructor({ maxRetries = DEFAULT_RETRIES, maxDelayMs = DEFAULT_MAX_DELAY_MS }: RetryOptions = {}) {
    this.maxRetries = maxRetries;
    this.maxDelayMs = maxDelayMs;
  }

  /**
   * @param retries so far
   * @param retryAfter the header of the answer
   * @returns milliseconds; undefined for no retry
   */
  delayMs(error: unknown, retries: number, retryAfter: string | null = null): number | undefined {
    if (retries >= this.maxRetries || !isTemporary(error)) return undefined;
    const jitter = Math.random() * JITTER_MS;
    const seconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
    if (seconds === undefined) return Math.min(FIRST_DELAY_MS * 2 ** retries, this.maxDelayMs) + jitter;
    return seconds * 1_000 > this.maxDelayMs ? undefined : seconds * 1_000 + jitter;
  }
}

function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.status === 429 || error.status === 503);
}

/** @throws the reason of the signal as soon as it is aborted */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error);
    const stop = () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
