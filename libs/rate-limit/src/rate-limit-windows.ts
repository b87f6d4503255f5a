/** How many requests one caller may make in a window that starts with the first of them. */
export interface RateLimitWindow {
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

/** When a refused request can succeed: every window that is used up has to end first. In seconds. */
export function retryAfterSeconds({ windows }: RateLimitVerdict): number {
  return Math.max(1, ...windows.filter(({ remaining }) => remaining === 0).map((w) => w.resetSeconds));
}

/** Of two windows with as much left, the one that lasts longer binds the caller more. */
function tighter(a: WindowState, b: WindowState): boolean {
  return a.remaining < b.remaining || (a.remaining === b.remaining && a.resetSeconds > b.resetSeconds);
}
