import type { ValidationError } from 'class-validator';
import type { InvalidItem } from './problem';

/** Turns what class-validator found in a part of a request (`body`, `query`, `path`) into what the area's 422 lists. */
export type ValidationProblems = (errors: readonly ValidationError[], part: string) => InvalidItem[];

/** The webchat endpoints list sentences, one for each rule that is broken: `user.email must be a string`. */
export const validationSentences: ValidationProblems = (errors, part) =>
  flatten(errors, [part]).flatMap(({ loc, error }) =>
    Object.values(error.constraints ?? {}).map((sentence) => ({
      loc,
      msg: withPath(loc, sentence),
      type: 'value_error',
    })),
  );

/** The other areas list items, one for each field that is wrong, in the words of other APIs. */
export const validationItems: ValidationProblems = (errors, part) =>
  flatten(errors, [part]).map(({ loc, error }) => {
    const broken = Object.keys(error.constraints ?? {});
    if (error.value === undefined) return { loc, msg: 'Field required', type: 'missing' };
    const rule = Object.keys(TYPES).find((name) => broken.includes(name)) ?? broken[0] ?? '';
    const sentence = error.constraints?.[rule] ?? '';
    const msg = rule === 'isStorable' ? withPath(loc, sentence) : sentence;
    return { loc, msg, type: TYPES[rule] ?? 'value_error' };
  });

/** A sentence that begins with a property, with the properties that it is in. */
function withPath(loc: readonly (string | number)[], sentence: string): string {
  return [...loc.slice(1, -1), sentence].join('.');
}

/** Type names by class-validator rule. The order decides which rule speaks for a field that breaks several. */
const TYPES: Readonly<Record<string, string>> = {
  isString: 'string_type',
  isInt: 'int_type',
  isNumber: 'float_type',
  isArray: 'list_type',
  isObject: 'dict_type',
  isUuid: 'uuid_parsing',
  isStorable: 'string_unicode',
  isMetadataValue: 'value_type',
  isFiniteNumber: 'finite_number',
  isCalendarDate: 'date_from_datetime_parsing',
  isIn: 'enum',
  isEnum: 'enum',
  isNotEmpty: 'string_too_short',
  minLength: 'string_too_short',
  maxLength: 'string_too_long',
  isLength: 'string_too_long',
  codePoints: 'string_too_long',
  arrayMaxSize: 'too_long',
  maxBytes: 'too_large',
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
    // A list in the place of an object, or the reverse, is one problem, whatever is in it.
    return error.constraints?.isObject || error.constraints?.isArray
      ? own
      : [...own, ...flatten(error.children ?? [], loc)];
  });
}
