import { ProblemError } from '@cxp/error-envelopes';

/** How many requests one caller may make in a window that starts with the first of them. */
export interface RateLimitWindow {
  /** The setting that says so. */
  readonly setting: string;
  readonly limit: number;
  readonly seconds: number;
}

/** What a window holds after a request was counted, or refused. */
export interface WindowState extends RateLimitWindow {
  readonly remaining: number;
  readonly resetSeconds: number;
}

export interface RateLimitVerdict {
  readonly allowed: boolean;
  readonly windows: readonly WindowState[];
}

/** The headers of every answer: `RateLimit-*` of the window with the least left, the policy of all of them. */
export function rateLimitHeaders({ windows }: RateLimitVerdict): Record<string, string> {
  const tightest = windows.reduce((a, b) => (tighter(b, a) ? b : a));
  return {
    'RateLimit-Limit': String(tightest.limit),
    'RateLimit-Remaining': String(tightest.remaining),
    'RateLimit-Reset': String(tightest.resetSeconds),
    'RateLimit-Policy': windows.map(({ limit, seconds }) => `${limit};w=${seconds}`).join(', '),
  };
}

/**
 * A request that was refused can succeed when every window that is used up has ended: the last of them is the one that it meets.
 * @throws ProblemError 429 if a window is used up
 */
export function rejectIfOver({ allowed, windows }: RateLimitVerdict): void {
  if (allowed) return;
  const last = windows
    .filter(({ remaining }) => remaining === 0)
    .reduce((a, b) => (b.resetSeconds > a.resetSeconds ? b : a));
  const retryAfterSeconds = Math.max(1, last.resetSeconds);
  throw new ProblemError({ code: 'rate_limited', limit: last.setting, retryAfterSeconds });
}

/** Of two windows with as much left, the one that lasts longer binds the caller more. */
function tighter(a: WindowState, b: WindowState): boolean {
  return a.remaining < b.remaining || (a.remaining === b.remaining && a.resetSeconds > b.resetSeconds);
}
