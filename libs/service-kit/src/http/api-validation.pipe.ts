import { ValidationPipe, type ArgumentMetadata, type Type } from '@nestjs/common';
import * as classTransformer from 'class-transformer';
import * as classValidator from 'class-validator';
import { ValidationError, type ValidatorOptions } from 'class-validator';
import { MAX_PROBLEMS, ProblemError, rejectAsInvalid, type ValidationProblems } from '@cxp/error-envelopes';
import { memoize, pauseAfter, unstorableTextPaths } from '@cxp/storage';
import { LARGE_BODY_BYTES, ReceivedBody } from './request-body';

const PARTS: Partial<Record<ArgumentMetadata['type'], string>> = {
  body: 'body',
  query: 'query',
  param: 'path',
};

class InvalidPart extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('invalid');
  }
}

/** Names of parameters that an operation does not know, by the request's query. */
export const ignoredParameters = new WeakMap<object, readonly string[]>();

/** Parses the body, converts the parts to their DTOs, and reports all errors at once as the area's problems. */
export class ApiValidationPipe extends ValidationPipe {
  constructor(private readonly problems: ValidationProblems) {
    super({
      whitelist: true,
      transform: true,
      transformOptions: { exposeDefaultValues: true },
      validationError: { target: false, value: true },
      exceptionFactory: (errors) => new InvalidPart(errors),
      // A bundled pipe would load another copy.
      validatorPackage: classValidator,
      transformerPackage: classTransformer,
    });
  }

  /** @throws ProblemError 422 */
  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    let value = sent;
    if (sent instanceof ReceivedBody) {
      const since = performance.now();
      value = sent.json();
      // Four megabytes take long to parse: others are served before they are checked.
      if (sent.bytes.length > LARGE_BODY_BYTES) await pauseAfter(since);
    }
    const part = PARTS[metadata.type];
    if (!part || !this.toValidate(metadata)) return value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      rejectAsInvalid({ loc: [part], msg: `${part} must be a JSON object`, type: 'dict_type' });
    }
    try {
      const dto = metadata.metatype as Type;
      if (part === 'query') {
        const ignored = Object.keys(value).filter((name) => name && !shapesOf(dto).has(name));
        ignoredParameters.set(value, ignored);
      }
      return await super.transform(namedMembers(value, dto, part), metadata);
    } catch (error) {
      if (!(error instanceof InvalidPart)) throw error;
      throw new ProblemError({ code: 'invalid', items: this.problems(error.errors, part) });
    }
  }

  /** Synchronous: that halves the cost of a small POST. */
  protected override validate(dto: object, options?: ValidatorOptions): ValidationError[] {
    const errors = classValidator.validateSync(dto, options);
    const unstorable = unstorableTextPaths(dto, MAX_PROBLEMS);
    return [...errors, ...unstorable.map(([first, ...rest]) => unstorableText(first!, rest))];
  }

  /** JSON and query strings have no binary values. */
  protected override findNestedBinaryValues(): ValidationError[] {
    return [];
  }
}

/** What the rules of a member take. Without any of these they are of our own, and see the whole value. */
interface Shape {
  isScalar?: boolean;
  isList?: boolean;
  isObject?: boolean;
  /** Of `NestedObject`. */
  dto?: Type;
}

const SCALAR_RULES = new Set(['isString', 'isInt', 'isNumber', 'isBoolean', 'isUuid', 'isIn', 'codePoints']);

const shapesOf = memoize((dto: Type): ReadonlyMap<string, Shape> => {
  const shapes = new Map<string, Shape>();
  const rules = classValidator.getMetadataStorage().getTargetValidationMetadatas(dto, '', false, false);
  for (const { propertyName, name = '', each, context } of rules) {
    const shape = shapes.get(propertyName) ?? {};
    shapes.set(propertyName, shape);
    shape.isScalar ||= SCALAR_RULES.has(name);
    shape.isList ||= each || name === 'isArray';
    shape.isObject ||= name === 'isObject';
    shape.dto ??= (context as { readonly type?: () => Type } | undefined)?.type?.();
  }
  return shapes;
});

/** Only these are transformed and validated, so that the rest of a body costs no more than its parsing. */
function namedMembers(members: object, dto: Type, part: string): object {
  const named: Record<string, unknown> = {};
  for (const [name, shape] of shapesOf(dto)) {
    if (!Object.hasOwn(members, name)) continue;
    const value = (members as Record<string, unknown>)[name];
    named[name] = part === 'body' ? withoutWrongShape(value, shape) : value;
  }
  return named;
}

/** Instead of a list or an object that the rules refuse an empty one, which they refuse alike. */
function withoutWrongShape(value: unknown, { isScalar, isList, isObject, dto }: Shape): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    if (!isList) return isScalar || isObject ? [] : value;
    return isScalar ? value.map((item) => withoutWrongShape(item, { isScalar })) : value;
  }
  if (dto) return namedMembers(value, dto, 'body');
  return !isObject && (isScalar || isList) ? {} : value;
}

/** Text that PostgreSQL can't store, as an error of class-validator. */
function unstorableText(property: string | number, [next, ...rest]: (string | number)[]): ValidationError {
  const error = new ValidationError();
  error.property = String(property);
  // An undefined value would count as missing.
  error.value = null;
  if (next === undefined) error.constraints = { isStorable: `${property} must be Unicode text without NUL` };
  else error.children = [unstorableText(next, rest)];
  return error;
}

/** `name[]` and `name[0]`, repeated or not, become `name`. */
export function withoutBrackets(query: object): object {
  const parameters = Object.entries(query) as [string, unknown][];
  if (!parameters.some(([name]) => name.endsWith(']'))) return query;
  const merged = new Map<string, unknown>();
  for (const [bracketed, value] of parameters) {
    const name = bracketed.replace(/\[\d*\]$/, '');
    merged.set(name, merged.has(name) ? [merged.get(name), value].flat() : value);
  }
  return Object.fromEntries(merged);
}
