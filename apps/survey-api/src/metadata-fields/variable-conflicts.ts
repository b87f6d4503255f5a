import type { MetadataField } from './metadata-field.repository';

/**
 * Finds the records that would give two fields one variable. What counts is what a whole batch leaves behind: fields may
 * swap their variables in it. Of two records that claim one variable the later one is refused.
 * @param variables those of all stored fields, by field id
 * @returns the indexes of the refused records
 */
export function variableConflicts(
  records: readonly MetadataField[],
  variables: ReadonlyMap<number, string>,
): Set<number> {
  const refused = new Set<number>();
  /** By field, the records of it that are not refused: the last one counts, without any what is stored. */
  const recordsOf = new Map<number, number[]>();
  for (const [index, { id }] of records.entries()) {
    const indexes = recordsOf.get(id);
    if (indexes) indexes.push(index);
    else recordsOf.set(id, [index]);
  }

  const claimOf = (id: number): Claim | undefined => {
    const index = recordsOf.get(id)?.at(-1) ?? STORED;
    const variable = index === STORED ? variables.get(id) : records[index]!.variable;
    return variable === undefined ? undefined : { id, index, variable };
  };
  const holders = new Map<string, Claim>();
  for (const id of new Set([...variables.keys(), ...recordsOf.keys()])) {
    let claim = claimOf(id);
    while (claim) {
      const holder = holders.get(claim.variable);
      if (!holder || claim.index < holder.index) holders.set(claim.variable, claim);
      if (!holder) break;
      // Refusing a record brings back what it would have replaced, which may meet another one.
      const loser = claim.index < holder.index ? holder : claim;
      refused.add(loser.index);
      recordsOf.get(loser.id)!.pop();
      claim = claimOf(loser.id);
    }
  }
  return refused;
}

/** The index of what is stored: before every record. */
const STORED = -1;

/** What a field would be called, and by which record. */
interface Claim {
  readonly id: number;
  readonly index: number;
  readonly variable: string;
}
