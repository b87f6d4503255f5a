import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { isInstant } from '@cxp/platform-records';
import { CodePoints } from '@cxp/service-kit';

export class ActivityAgentRequest {
  @IsOptional()
  @Max(Number.MAX_SAFE_INTEGER)
  @Min(Number.MIN_SAFE_INTEGER)
  @IsInt()
  accountId?: number | null;

  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  email?: string | null;

  @IsOptional()
  @CodePoints(0, 255)
  @IsString()
  name?: string | null;

  @IsOptional()
  @IsBoolean()
  isServiceAccount?: boolean | null;
}

/** An activity of the platform, as area B's `activity` record describes it. */
export class PostActivityRequest {
  @CodePoints(1, 255)
  @IsNotEmpty()
  @IsString()
  id: string;

  @CodePoints(1, 100)
  @IsNotEmpty()
  @IsString()
  action: string;

  /** ISO 8601 with an offset; now, when it is left out. */
  @IsOptional()
  @ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value) => typeof value === 'string' && isInstant(value),
      defaultMessage: () => '$property must be a date-time with an offset (2026-01-05T02:11:09.000Z)',
    },
  })
  occurredAt?: string | null;

  @IsOptional()
  @IsObject()
  @ValidateNested()
  @Type(() => ActivityAgentRequest)
  agent?: ActivityAgentRequest | null;
}
