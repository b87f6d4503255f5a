import { rateLimitHeaders, rejectIfOver, type WindowState } from './rate-limits';

function window(limit: number, seconds: number, remaining: number, resetSeconds: number): WindowState {
  return { name: `PER_${seconds}`, limit, ttl: seconds * 1_000, remaining, resetSeconds };
}

describe('RateLimit-* headers', () => {
  it.each<[string, WindowState[], { limit: string; remaining: string; reset: string }]>([
    [
      'the window with the least left',
      [window(5, 1, 4, 1), window(50, 60, 3, 30)],
      { limit: '50', remaining: '3', reset: '30' },
    ],
    [
      'the shorter one when it has less',
      [window(5, 1, 2, 1), window(50, 60, 3, 30)],
      { limit: '5', remaining: '2', reset: '1' },
    ],
    [
      'of equals the one that lasts longer',
      [window(5, 1, 0, 1), window(50, 60, 0, 30)],
      { limit: '50', remaining: '0', reset: '30' },
    ],
    ['the only one', [window(5, 1, 5, 1)], { limit: '5', remaining: '5', reset: '1' }],
  ])('describe %s', (_, windows, { limit, remaining, reset }) => {
    expect(rateLimitHeaders({ allowed: true, windows })).toMatchObject({
      'RateLimit-Limit': limit,
      'RateLimit-Remaining': remaining,
      'RateLimit-Reset': reset,
    });
  });

  it('name the policy of all windows', () => {
    const windows = [window(5, 1, 4, 1), window(50, 60, 3, 30)];
    expect(rateLimitHeaders({ allowed: true, windows })['RateLimit-Policy']).toBe('5;w=1, 50;w=60');
  });
});

describe('Retry-After and the limit of a 429', () => {
  it.each<[string, WindowState[], number, string]>([
    ['the second, when only it is used up', [window(5, 1, 0, 1), window(50, 60, 3, 30)], 1, 'PER_1'],
    ['the minute, when only it is used up', [window(5, 1, 5, 1), window(50, 60, 0, 30)], 30, 'PER_60'],
    ['the one that ends last, when both are', [window(5, 1, 0, 1), window(50, 60, 0, 30)], 30, 'PER_60'],
    ['at least a second', [window(5, 1, 0, 0)], 1, 'PER_1'],
  ])('are of %s', (_, windows, retryAfterSeconds, limit) => {
    const problem = { code: 'rate_limited', limit, retryAfterSeconds };
    expect(() => rejectIfOver({ allowed: false, windows })).toThrow(expect.objectContaining({ problem }));
  });
});
