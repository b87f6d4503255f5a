import { applyDecorators, type Type as Class } from '@nestjs/common';
import { Type } from 'class-transformer';
import {
  IsObject,
  ValidateBy,
  ValidateNested,
  type ValidationArguments,
  type ValidationOptions,
} from 'class-validator';

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

export function isCalendarDate(value: unknown): boolean {
  const [, year, month, day] = (typeof value === 'string' && DATE.exec(value)?.map(Number)) || [];
  if (!year || !month || !day) return false;
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

export function IsCalendarDate(options?: ValidationOptions): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isCalendarDate',
      validator: { validate: isCalendarDate, defaultMessage: () => '$property must be a date (YYYY-MM-DD)' },
    },
    options,
  );
}

/** Length in Unicode code points, both bounds inclusive. class-validator's own rules skip variation selectors. */
export function CodePoints(min: number, max: number, options?: ValidationOptions): PropertyDecorator {
  const bounds = min > 0 ? `between ${min} and ${max}` : `at most ${max}`;
  return ValidateBy(
    {
      name: 'codePoints',
      validator: {
        validate: (value) => typeof value === 'string' && hasCodePoints(value, min, max),
        defaultMessage: () => `$property must have ${bounds} characters`,
      },
    },
    options,
  );
}

export function hasCodePoints(text: string, min: number, max: number): boolean {
  // A code point has one or two UTF-16 units, so most texts need no counting.
  if (text.length < min || text.length > max * 2) return false;
  if (text.length >= min * 2 && text.length <= max) return true;
  let count = 0;
  for (const _ of text) if (++count > max) return false;
  return count >= min;
}

/** An object with the members of a DTO. `ApiValidationPipe` drops all others before it validates. */
export function NestedObject(type: () => Class): PropertyDecorator {
  return applyDecorators(Type(type), ValidateNested({ context: { type } }), IsObject());
}

/** A calendar date not before another property's; if one of them is no date, only that is reported. */
export function IsNotBefore(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'isNotBefore',
    constraints: [other],
    validator: {
      validate: (value, validation) => {
        const start = (validation as ValidationArguments & { object: Record<string, unknown> }).object[other];
        return !isCalendarDate(value) || !isCalendarDate(start) || String(value) >= String(start);
      },
      defaultMessage: () => '$property must not be before $constraint1',
    },
  });
}
