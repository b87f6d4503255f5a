import { MAX_PROBLEMS, rejectAsInvalid, type InvalidItem } from '@cxp/error-envelopes';
import { hasCodePoints } from '@cxp/service-kit';
import { unstorableTextPaths } from '@cxp/storage';
import { isJsonObject, type JsonObject } from '../responses/answers';
import type { MetadataAssociation } from './metadata-mapping';

/** Limits of the body of C4; characters are Unicode code points. */
export const MAX_NAME_CHARACTERS = 255;
export const MAX_MAPPING_ITEMS = 200;
export const MAX_VALUE_CHARACTERS = 2000;
export const MAX_VALUE_ITEMS = 200;

/** The maximum number of items of a batch. */
export const MAX_BATCH_ITEMS = 500;

/** A valid body of C4. */
export interface LinkRequest {
  readonly name: string;
  readonly mapping: readonly MetadataAssociation[];
}

/**
 * Reads the body of C4. Absent, `null` and `[]` are the same mapping; an absent value is `null`.
 * @throws ProblemError 422 with everything that is wrong with it, at most the first problems
 */
export function parseLinkRequest(body: unknown, maxProblems = MAX_PROBLEMS): LinkRequest {
  if (!isJsonObject(body)) rejectAsInvalid(item(['body'], 'Input should be a valid dictionary', 'dict_type'));
  const mapping = body.metadata_mapping ?? [];
  const problems = [...nameProblems(body.name)];
  for (const problem of mappingProblems(mapping)) {
    if (problems.push(problem) >= maxProblems) break;
  }
  if (problems.length > 0) rejectAsInvalid(...problems.slice(0, maxProblems));
  return {
    name: (body.name as string).trim(),
    mapping: (mapping as readonly MetadataAssociation[]).map(({ metadata_id, value = null }) => ({
      metadata_id,
      value,
    })),
  };
}

/**
 * Reads the body of a batch; its items are read one by one with `parseLinkRequest`.
 * @throws ProblemError 422 if it is not a list of 1 to 500 items
 */
export function parseLinkBatch(body: unknown): readonly unknown[] {
  const loc = ['body', 'items'];
  if (!isJsonObject(body)) rejectAsInvalid(item(['body'], 'Input should be a valid dictionary', 'dict_type'));
  if (body.items === undefined) rejectAsInvalid(missing(loc));
  if (!Array.isArray(body.items)) rejectAsInvalid(item(loc, 'Input should be a valid list', 'list_type'));
  if (body.items.length === 0) rejectAsInvalid(item(loc, 'List should have at least 1 item', 'too_short'));
  if (body.items.length > MAX_BATCH_ITEMS) rejectAsInvalid(tooManyItems(MAX_BATCH_ITEMS, loc));
  return body.items;
}

function nameProblems(name: unknown): InvalidItem[] {
  const loc = ['body', 'name'];
  if (name === undefined) return [missing(loc)];
  if (typeof name === 'string' && name.trim() === '') {
    return [item(loc, 'String should have at least 1 character', 'string_too_short')];
  }
  return textProblems(typeof name === 'string' ? name.trim() : name, MAX_NAME_CHARACTERS, loc);
}

/** One by one, so that those that no answer lists are never found. */
function* mappingProblems(mapping: unknown): Generator<InvalidItem> {
  const loc = ['body', 'metadata_mapping'];
  if (!Array.isArray(mapping)) {
    yield item(loc, 'Input should be a valid list', 'list_type');
    return;
  }
  if (mapping.length > MAX_MAPPING_ITEMS) {
    yield tooManyItems(MAX_MAPPING_ITEMS, loc);
    return;
  }
  const named = new Set<unknown>();
  for (const [index, entry] of (mapping as unknown[]).entries()) {
    if (!isJsonObject(entry)) {
      yield item([...loc, index], 'Input should be a valid dictionary', 'dict_type');
      continue;
    }
    const repeated = named.has(entry.metadata_id);
    named.add(entry.metadata_id);
    yield* metadataIdProblems(entry, repeated, [...loc, index, 'metadata_id']);
    yield* valueProblems(entry.value, [...loc, index, 'value']);
  }
}

function metadataIdProblems({ metadata_id }: JsonObject, repeated: boolean, loc: Location): InvalidItem[] {
  if (metadata_id === undefined) return [missing(loc)];
  if (!Number.isSafeInteger(metadata_id)) return [item(loc, 'Input should be a valid integer', 'int_type')];
  return repeated ? [item(loc, 'Each metadata_id can be named once only', 'duplicate')] : [];
}

function* valueProblems(value: unknown, loc: Location): Generator<InvalidItem> {
  if (!Array.isArray(value)) {
    yield* scalarProblems(value ?? null, 'Input should be a string, a number, a list or null', loc);
    return;
  }
  if (value.length > MAX_VALUE_ITEMS) {
    yield tooManyItems(MAX_VALUE_ITEMS, loc);
    return;
  }
  for (const [index, entry] of (value as unknown[]).entries()) {
    yield* scalarProblems(entry, 'Input should be a string, a number or null', [...loc, index]);
  }
}

function scalarProblems(value: unknown, expected: string, loc: Location): InvalidItem[] {
  if (value === null) return [];
  if (typeof value === 'string') return textProblems(value, MAX_VALUE_CHARACTERS, loc);
  if (typeof value !== 'number') return [item(loc, expected, 'value_type')];
  return Number.isFinite(value) ? [] : [item(loc, 'Input should be a finite number', 'finite_number')];
}

function textProblems(text: unknown, maximum: number, loc: Location): InvalidItem[] {
  if (typeof text !== 'string') return [item(loc, 'Input should be a valid string', 'string_type')];
  if (!hasCodePoints(text, 0, maximum)) {
    return [item(loc, `String should have at most ${maximum} characters`, 'string_too_long')];
  }
  return unstorableTextPaths(text).length > 0
    ? [item(loc, 'text must be Unicode without NUL', 'string_unicode')]
    : [];
}

type Location = readonly (string | number)[];

function missing(loc: Location): InvalidItem {
  return item(loc, 'Field required', 'missing');
}

function tooManyItems(maximum: number, loc: Location): InvalidItem {
  return item(loc, `List should have at most ${maximum} items`, 'too_long');
}

function item(loc: Location, msg: string, type: string): InvalidItem {
  return { loc, msg, type };
}
