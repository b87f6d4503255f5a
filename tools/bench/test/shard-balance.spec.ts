import { balanceOf, zipfShares } from '../src/shards/shard-balance';

describe('zipfShares', () => {
  it('shares all rows out, the second a half of the first', () => {
    const shares = zipfShares(10_000);
    expect(shares.reduce((a, b) => a + b)).toBeCloseTo(1);
    expect(shares[0]! / shares[1]!).toBeCloseTo(2);
    expect(shares[0]).toBeCloseTo(0.102, 3);
  });
});

describe('balanceOf', () => {
  it('is even when organizations are alike and many', () => {
    const { inTurn, rebalanced } = balanceOf(zipfShares(100_000, 0), 32, 4);
    expect(inTurn).toBeCloseTo(1, 1);
    expect(rebalanced).toBeCloseTo(1, 1);
  });

  it('has the largest organization on one worker, wherever its shard is', () => {
    const shares = zipfShares(10_000);
    for (const workers of [2, 4, 8, 16]) {
      const { inTurn, rebalanced } = balanceOf(shares, 128, workers);
      expect(rebalanced).toBeLessThanOrEqual(inTurn);
      expect(rebalanced).toBeGreaterThanOrEqual(Math.max(1, shares[0]! * workers));
    }
  });
});
