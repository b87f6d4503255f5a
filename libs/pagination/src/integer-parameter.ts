import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

export interface IntegerRange {
  readonly minimum: number;
  readonly maximum?: number;
  /** Shown in the document; the initial value of the property sets it. */
  readonly default?: number;
  readonly description?: string;
}

/** An optional query parameter that is a whole number in decimal digits, checked and documented. */
export function IntegerParameter({ minimum, maximum, ...documented }: IntegerRange): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum, maximum, ...documented }),
    Transform(({ value }: { value: unknown }) => readInteger(value)),
    IsOptional(),
    ...(maximum === undefined ? [] : [Max(maximum)]),
    Min(minimum),
    IsInt(),
  );
}

/** Anything else stays as it is and fails `IsInt`. */
function readInteger(value: unknown): unknown {
  return typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
}
