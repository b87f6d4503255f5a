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
  for (;;) {
    const conflict = findConflict(records, variables, refused);
    if (conflict.length === 0) return refused;
    for (const index of conflict) refused.add(index);
  }
}

/** One round: refusing a record brings back what it would have replaced, which may meet another one. */
function findConflict(
  records: readonly MetadataField[],
  variables: ReadonlyMap<number, string>,
  refused: ReadonlySet<number>,
): number[] {
  const final = new Map([...variables].map(([id, variable]) => [id, { variable, index: -1 }]));
  for (const [index, { id, variable }] of records.entries()) {
    if (!refused.has(index)) final.set(id, { variable, index });
  }
  const keepers = new Map<string, number>();
  const conflict: number[] = [];
  for (const { variable, index } of [...final.values()].sort((left, right) => left.index - right.index)) {
    if (keepers.has(variable)) conflict.push(index);
    else keepers.set(variable, index);
  }
  return conflict;
}
