import { setTimeout as sleep } from 'node:timers/promises';
import { StatementScope } from '@cxp/storage';
import type { ApiTokenRepository } from './api-token.repository';

/** How long tokens are collected before they are looked up together, in milliseconds. */
const COLLECTING_MS = 250;

/**
 * Finds out which of many suspect tokens exist: all that come within a quarter of a second by one statement. However fast
 * somebody guesses, it costs four look-ups a second; a token that exists is found all the same, after a short wait.
 */
export class SuspectTokens {
  private batch: { hashes: Buffer[]; existing: Promise<ReadonlySet<string>> } | undefined;

  constructor(private readonly repository: ApiTokenRepository) {}

  async exists(hash: Buffer): Promise<boolean> {
    const { hashes, existing } = (this.batch ??= this.open());
    hashes.push(hash);
    return (await existing).has(hash.toString('base64'));
  }

  private open(): NonNullable<typeof this.batch> {
    const hashes: Buffer[] = [];
    const existing = StatementScope.leave(async () => {
      await sleep(COLLECTING_MS);
      this.batch = undefined;
      const found = await this.repository.existingHashes(hashes);
      return new Set(found.map((hash) => hash.toString('base64')));
    });
    return { hashes, existing };
  }
}
