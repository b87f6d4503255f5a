import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { type InvalidItem, MAX_PROBLEMS, rejectAsInvalid } from '@cxp/error-envelopes';
import { problemAjv, stepsOf } from '@cxp/platform-records';
import { unstorableTextPaths } from '@cxp/storage';
import type { ErrorObject } from 'ajv';
import { isJsonObject } from '../campaigns/survey-question';
import { CreateLink, CreateLinks, type MetadataAssociation } from './link.schema';

/** A valid body of C4. */
export interface LinkRequest {
  readonly name: string;
  readonly mapping: readonly MetadataAssociation[];
}

const ajv = problemAjv();
const checkLink = checkOf(CreateLink);
/** Of the list alone: each item is read and answered by itself. */
const checkLinks = checkOf(Type.Object({ items: { ...CreateLinks.properties.items, items: {} } }));

/**
 * Reads the body of C4. Absent, `null` and `[]` are the same mapping; an absent value is `null`.
 * @throws ProblemError 422 with everything that is wrong with it, at most the first problems
 */
export function parseLinkRequest(body: unknown, maxProblems = MAX_PROBLEMS): LinkRequest {
  const trimmed =
    isJsonObject(body) && typeof body.name === 'string'
      ? { name: body.name.trim(), metadata_mapping: body.metadata_mapping }
      : body;
  const { name, metadata_mapping } = checkLink(trimmed, maxProblems);
  const mapping = (metadata_mapping ?? []).map(({ metadata_id, value = null }) => ({ metadata_id, value }));
  const problems = [...repetitions(mapping), ...unstorable({ name, metadata_mapping: mapping })];
  if (problems.length > 0) rejectAsInvalid(...problems.slice(0, maxProblems));
  return { name, mapping };
}

/**
 * Reads the body of a batch; its items are read one by one with `parseLinkRequest`.
 * @throws ProblemError 422 if it is not a list of 1 to 500 items
 */
export function parseLinkBatch(body: unknown): readonly unknown[] {
  return checkLinks(body).items;
}

function checkOf<Schema extends TSchema>(schema: Schema) {
  const isValid = ajv.compile<Static<Schema>>(schema);
  return (body: unknown, maxProblems = MAX_PROBLEMS): Static<Schema> => {
    if (isValid(body)) return body;
    return rejectAsInvalid(...isValid.errors!.slice(0, maxProblems).map((error) => problemOf(error, body)));
  };
}

/** A schema can't say that each field is named once. */
function repetitions(mapping: LinkRequest['mapping']): InvalidItem[] {
  const named = new Set<number>();
  return mapping.flatMap(({ metadata_id }, index) => {
    if (named.size < named.add(metadata_id).size) return [];
    const loc = ['body', 'metadata_mapping', index, 'metadata_id'];
    return [{ loc, msg: 'Each metadata_id can be named once only', type: 'duplicate' }];
  });
}

function unstorable(body: object): InvalidItem[] {
  return unstorableTextPaths(body).map((path) => ({
    loc: ['body', ...path],
    msg: 'text must be Unicode without NUL',
    type: 'string_unicode',
  }));
}

/** What Ajv found, in the words of the contract's validation items. */
function problemOf({ keyword, instancePath, params, data }: ErrorObject, body: unknown): InvalidItem {
  const loc = ['body', ...stepsOf(instancePath, body)];
  const { limit, type, missingProperty } = params as {
    limit: number;
    type: string | string[];
    missingProperty: string;
  };
  switch (keyword) {
    case 'required':
      return { loc: [...loc, missingProperty], msg: 'Field required', type: 'missing' };
    case 'minLength':
      return { loc, msg: `String should have at least ${limit} character`, type: 'string_too_short' };
    case 'maxLength':
      return { loc, msg: `String should have at most ${limit} characters`, type: 'string_too_long' };
    case 'minItems':
      return { loc, msg: `List should have at least ${limit} item`, type: 'too_short' };
    case 'maxItems':
      return { loc, msg: `List should have at most ${limit} items`, type: 'too_long' };
    case 'type':
      if (typeof data === 'number' && !Number.isFinite(data)) {
        return { loc, msg: 'Input should be a finite number', type: 'finite_number' };
      }
      return { loc, ...TYPE_PROBLEMS[String(type)]! };
    default:
      // An integer beyond its bounds.
      return { loc, ...TYPE_PROBLEMS.integer! };
  }
}

/** By the types of a schema. */
const TYPE_PROBLEMS: Readonly<Record<string, { readonly msg: string; readonly type: string }>> = {
  object: { msg: 'Input should be a valid dictionary', type: 'dict_type' },
  array: { msg: 'Input should be a valid list', type: 'list_type' },
  'array,null': { msg: 'Input should be a valid list', type: 'list_type' },
  string: { msg: 'Input should be a valid string', type: 'string_type' },
  integer: { msg: 'Input should be a valid integer', type: 'int_type' },
  'string,number,array,null': {
    msg: 'Input should be a string, a number, a list or null',
    type: 'value_type',
  },
  'string,number,null': { msg: 'Input should be a string, a number or null', type: 'value_type' },
};
