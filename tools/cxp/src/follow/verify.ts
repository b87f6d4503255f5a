import { hexDigest } from '@cxp/change-feed/row-digest';
import type { CxpClient } from '@cxp/client';
import type { Copy, CopyState } from './copy';
import type { CopiedRow, FollowedArea, FollowedChange } from './followed-area';

/** How often a group whose rows change while it is compared is looked at again. */
const MAX_LOOKS = 5;
const MENDED_AT_ONCE = 5_000;
/** Stands for the digest of a group with a row whose own digest does not fit. */
const DAMAGED = 'damaged';

export interface Comparison {
  /** Days (of area C: of each campaign) that hold rows. */
  readonly groups: number;
  /** Those whose rows in the copy are not the rows of the service. */
  readonly differing: readonly string[];
}

/**
 * Compares the copy with the digests of the service, group by group.
 * @param catchUp reads the feed to its end, and returns the number up to which the copy holds everything then
 */
export async function compare(
  client: CxpClient,
  area: FollowedArea,
  copy: Copy,
  catchUp: () => Promise<number>,
): Promise<Comparison> {
  let suspects: string[] = [];
  let groups = 0;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const served = await area.digests(client);
    const lastChange = await catchUp();
    const copied = await copiedDigests(area, copy);
    const all = new Map([...copied.keys()].map((group) => [group, undefined as string | undefined]));
    for (const { group, digest } of served.groups) all.set(group, digest);
    const differing = [...all]
      .filter(([group, digest]) => digest !== copied.get(group))
      .map(([group]) => group);
    groups = served.groups.length;
    suspects = look === 0 ? differing : suspects.filter((group) => differing.includes(group));
    // Without a change after the digests, both are of the same state.
    if (suspects.length === 0 || lastChange <= served.change) break;
  }
  return { groups, differing: suspects.sort() };
}

/** The groups of the copy, from the rows as they are stored. */
async function copiedDigests(area: FollowedArea, copy: Copy): Promise<Map<string, string>> {
  const digests = new Map<string, bigint>();
  const damaged = new Set<string>();
  for await (const copied of copy.rows()) {
    const group = area.groupOf(copied);
    const digest = area.digestOf(copied);
    digests.set(group, (digests.get(group) ?? 0n) ^ digest);
    if (hexDigest(digest) !== copied.digest) damaged.add(group);
  }
  return new Map(
    [...digests].map(([group, digest]) => [group, damaged.has(group) ? DAMAGED : hexDigest(digest)]),
  );
}

/** Reads the rows of some groups again, and removes what the service does not have. The cursor stays where it is. */
export async function mend(
  client: CxpClient,
  area: FollowedArea,
  copy: Copy,
  state: CopyState,
  groups: ReadonlySet<string>,
): Promise<void> {
  const found = new Set<string>();
  const waiting: FollowedChange[] = [];
  const store = async (change: FollowedChange) => {
    waiting.push(change);
    if (waiting.length >= MENDED_AT_ONCE) await copy.mend(state, waiting.splice(0));
  };
  for await (const line of area.lines(client, { once: true })) {
    if (line.op !== 'upsert') continue;
    const { key, row } = line;
    const extra = String(area.extraColumn.valueOf(line));
    if (!groups.has(area.groupOf({ key, extra, row: row as CopiedRow['row'] }))) continue;
    found.add(JSON.stringify(key));
    await store(line);
  }
  for await (const copied of copy.rows()) {
    if (!groups.has(area.groupOf(copied)) || found.has(JSON.stringify(copied.key))) continue;
    await store({ op: 'delete', change: 0, key: copied.key });
  }
  await copy.mend(state, waiting);
}
