import { Transform } from 'class-transformer';

/** A query parameter that is a whole number in decimal digits; anything else stays as it came and fails `@IsInt()`. */
export function IntegerParameter(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value,
  );
}
