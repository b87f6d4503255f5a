import type { ValidationError } from 'class-validator';
import type { InvalidItem } from './problem';

/** Turns class-validator's errors about a part (`body`, `query`, `path`) into the area's 422. */
export type ValidationProblems = (errors: readonly ValidationError[], part: string) => InvalidItem[];

/** A sentence for each broken rule of webchat endpoints: `user.email must be a string`. */
export const validationSentences: ValidationProblems = (errors, part) =>
  flatten(errors, [part]).flatMap(({ loc, error: { constraints = {}, value } }) => {
    // A number is neither empty nor too long. What is missing may be called empty.
    const kind =
      value === undefined || value === null ? undefined : KINDS.find((rule) => rule in constraints);
    const sentences = kind ? [constraints[kind]!] : Object.values(constraints);
    return sentences.map((sentence) => ({ loc, msg: withPath(loc, sentence), type: 'value_error' }));
  });

/** An item for each wrong field of the other areas. */
export const validationItems: ValidationProblems = (errors, part) =>
  flatten(errors, [part]).map(({ loc, error }) => {
    const broken = Object.keys(error.constraints ?? {});
    if (error.value === undefined) return { loc, msg: 'Field required', type: 'missing' };
    const rule = Object.keys(TYPES).find((name) => broken.includes(name)) ?? broken[0] ?? '';
    const sentence = error.constraints?.[rule] ?? '';
    const msg = rule === 'isStorable' ? withPath(loc, sentence) : sentence;
    return { loc, msg, type: TYPES[rule] ?? 'value_error' };
  });

/** Prefixes a sentence with the properties around its own. */
function withPath(loc: readonly (string | number)[], sentence: string): string {
  return [...loc.slice(1, -1), sentence].join('.');
}

/** Rules about the kind of a value: if one is broken, the others say nothing true. */
const KINDS = ['isArray', 'isObject', 'isString', 'isInt', 'isNumber', 'isBoolean'];

/** Types by class-validator rule; of several broken rules the first one here is reported. */
const TYPES: Readonly<Record<string, string>> = {
  isArray: 'list_type',
  isObject: 'dict_type',
  isString: 'string_type',
  isInt: 'int_type',
  isNumber: 'float_type',
  isUuid: 'uuid_parsing',
  isStorable: 'string_unicode',
  isMetadataValue: 'value_type',
  isCalendarDate: 'date_from_datetime_parsing',
  isIn: 'enum',
  isEnum: 'enum',
  isNotEmpty: 'string_too_short',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  isLength: 'string_too_long',
  codePoints: 'string_too_long',
  arrayMaxSize: 'too_long',
  min: 'greater_than_equal',
  max: 'less_than_equal',
};

function flatten(
  errors: readonly ValidationError[],
  parent: readonly (string | number)[],
): { loc: (string | number)[]; error: ValidationError }[] {
  return errors.flatMap((error) => {
    const loc = [...parent, /^\d+$/.test(error.property) ? Number(error.property) : error.property];
    const own = error.constraints ? [{ loc, error }] : [];
    // A list instead of an object, or the reverse, is one problem, whatever it contains.
    return error.constraints?.isObject || error.constraints?.isArray
      ? own
      : [...own, ...flatten(error.children ?? [], loc)];
  });
}
