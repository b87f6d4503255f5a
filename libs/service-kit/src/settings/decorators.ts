import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, Matches, Max, Min } from 'class-validator';

/** A whole number within bounds, both included. */
export function IntegerSetting(min: number, max: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value)),
    IsInt(),
    Min(min),
    Max(max),
  );
}

/** `on` or `off`. */
export function SwitchSetting(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'on' ? true : value === 'off' ? false : value)),
    IsIn([true, false], { message: '$property must be "on" or "off"' }),
  );
}

/** Values separated by commas. */
export function ListSetting(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value,
  );
}

export function IsDatabaseUrl(): PropertyDecorator {
  return Matches(/^postgres(ql)?:\/\//, { message: '$property must be a postgres:// URL' });
}
