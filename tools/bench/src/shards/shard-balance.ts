import { createHash } from 'node:crypto';

/** How a number of organizations falls on shards, and these on workers. */
export interface Balance {
  readonly shards: number;
  readonly workers: number;
  /** The share of all rows that the fullest worker has, beside an even share: 1 is even. */
  readonly inTurn: number;
  /** The same after shards were moved by their size, as Citus' rebalancer does with `by_disk_size`. */
  readonly rebalanced: number;
  /** The fullest shard beside an even one. */
  readonly fullestShard: number;
}

/**
 * Sizes as in life, by Zipf's law: the second organization has a half of the rows of the first one, the third a third.
 * @returns the share of all rows that each has, the largest first
 */
export function zipfShares(organizations: number, exponent = 1): number[] {
  const sizes = Array.from({ length: organizations }, (_, n) => (n + 1) ** -exponent);
  const sum = sizes.reduce((a, b) => a + b);
  return sizes.map((size) => size / sum);
}

/** Spreads organizations over shards by a hash of their ids, as Citus does, and shards over workers. */
export function balanceOf(shares: readonly number[], shards: number, workers: number): Balance {
  const sizes = new Array<number>(shards).fill(0);
  shares.forEach((share, n) => (sizes[shardOf(`organization-${n}`, shards)]! += share));
  const turns = new Array<number>(workers).fill(0);
  sizes.forEach((size, shard) => (turns[shard % workers]! += size));
  // The largest shard goes to the worker that has least: what a rebalancer can reach.
  const moved = new Array<number>(workers).fill(0);
  for (const size of [...sizes].sort((a, b) => b - a)) moved[moved.indexOf(Math.min(...moved))]! += size;
  return {
    shards,
    workers,
    inTurn: Math.max(...turns) * workers,
    rebalanced: Math.max(...moved) * workers,
    fullestShard: Math.max(...sizes) * shards,
  };
}

function shardOf(organization: string, shards: number): number {
  return Math.floor((createHash('sha256').update(organization).digest().readUInt32BE() / 2 ** 32) * shards);
}
