import { balanceOf, zipfShares } from './shard-balance';

const ORGANIZATIONS = Number(process.env.ORGANIZATIONS ?? 10_000);

/** How even the shards of a cluster are. It measures nothing. */
export async function benchShards(): Promise<void> {
  for (const exponent of [1, 0.8]) {
    const shares = zipfShares(ORGANIZATIONS, exponent);
    console.log(
      `${ORGANIZATIONS} organizations, Zipf ${exponent}: the largest has ${percent(shares[0]!)} of all rows`,
    );
    console.table(
      [32, 64, 128].flatMap((shards) =>
        [2, 4, 8, 16].map((workers) => {
          const { inTurn, rebalanced, fullestShard } = balanceOf(shares, shards, workers);
          return {
            shards,
            workers,
            'fullest worker beside an even one': inTurn.toFixed(2),
            'after moving shards': rebalanced.toFixed(2),
            'fullest shard beside an even one': fullestShard.toFixed(2),
          };
        }),
      ),
    );
  }
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
