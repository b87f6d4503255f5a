import { createHash } from 'node:crypto';

/** The value that a link gives to a metadata field. */
export type MetadataValue = string | number | null | readonly (string | number | null)[];

/** One entry of a link's mapping. */
export interface MetadataAssociation {
  readonly metadata_id: number;
  readonly value: MetadataValue;
}

/** The metadata of each answer come from the link: one with more (as JSON) has no page. */
export const MAX_PAGE_METADATA_BYTES = 32 * 1_024;

/**
 * The identity of a mapping, for the rule that one campaign has one link per mapping. The order of the entries does not
 * matter; that of a value's items does. `1` and `1.0` are one number, `1` and `"1"` are not the same.
 * @returns a SHA-256 of the mapping's canonical JSON
 */
export function mappingKey(mapping: readonly MetadataAssociation[]): Buffer {
  const canonical = mapping
    .map(({ metadata_id, value }) => [metadata_id, value] as const)
    .sort(([left], [right]) => left - right);
  return createHash('sha256').update(JSON.stringify(canonical)).digest();
}
