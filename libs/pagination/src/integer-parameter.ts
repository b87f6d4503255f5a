import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';

export interface IntegerRange {
  readonly minimum: number;
  readonly maximum?: number;
  /** For the document; the property's initial value is the real default. */
  readonly default?: number;
  readonly description?: string;
}

/** An optional whole number in decimal digits. */
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

/** Other values stay as they are and fail `IsInt`. */
function readInteger(value: unknown): unknown {
  return typeof value === 'string' && /^[+-]?\d{1,15}$/.test(value.trim()) ? Number(value) : value;
}
