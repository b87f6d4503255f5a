import { ValidateBy, type ValidationOptions } from 'class-validator';

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
