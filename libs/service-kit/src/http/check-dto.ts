import type { Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import {
  MAX_PROBLEMS,
  rejectAsInvalid,
  type InvalidItem,
  type ValidationProblems,
} from '@cxp/error-envelopes';
import { unstorableTextPaths } from '@cxp/storage';
import { nestedClassOf } from '../validators/nested-object';

/**
 * Turns a part of a request into its DTO class and tells everything that is wrong with it, up to `MAX_PROBLEMS`. Synchronous, unlike
 * Nest's own pipe: that halves the cost of a small POST. What the class does not declare is left out before anything looks at it.
 * @throws ProblemError if the part is not even an object
 */
export function checkDto<Dto extends object>(
  metatype: Type<Dto>,
  value: unknown,
  part: string,
  problems: ValidationProblems,
): { dto: Dto; items: InvalidItem[] } {
  if (!isObject(value)) {
    rejectAsInvalid({ loc: [part], msg: `${part} must be a JSON object`, type: 'dict_type' });
  }
  const dto = plainToInstance(metatype, declaredPart(metatype, value), { exposeDefaultValues: true });
  const errors = validateSync(dto, { forbidUnknownValues: false, validationError: { target: false } });
  const unstorable = unstorableTextPaths(dto, MAX_PROBLEMS).map((path) => ({
    loc: [part, ...path],
    msg: `${path.join('.')} must be Unicode text without NUL`,
    type: 'string_unicode',
  }));
  return { dto, items: [...problems(errors, part), ...unstorable].slice(0, MAX_PROBLEMS) };
}

/** What a class declares of a value; where a value is nested deeper than its class, only that it is an object or a list. */
function declaredPart(metatype: Type, value: Record<string, unknown>): Record<string, unknown> {
  const part: Record<string, unknown> = {};
  for (const [name, nested] of declaredProperties(metatype)) {
    if (!Object.hasOwn(value, name)) continue;
    const item = value[name];
    if (nested) part[name] = isObject(item) ? declaredPart(nested, item) : shallow(item);
    else part[name] = Array.isArray(item) ? item.map(shallow) : shallow(item);
  }
  return part;
}

function shallow(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? [] : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const declared = new WeakMap<Type, ReadonlyMap<string, Type | undefined>>();

/** The properties that a class has rules for, with the class of those that are objects themselves. */
function declaredProperties(metatype: Type): ReadonlyMap<string, Type | undefined> {
  const known = declared.get(metatype);
  if (known) return known;
  const rules = getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false);
  const properties = new Map(
    rules.map(({ propertyName }) => [propertyName, nestedClassOf(metatype, propertyName)]),
  );
  declared.set(metatype, properties);
  return properties;
}
