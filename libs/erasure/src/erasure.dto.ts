import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  NotEquals,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { comparableEmail, comparablePhone, MAX_IDENTIFIER_LENGTH } from '@cxp/identifiers';
import { CodePoints } from '@cxp/service-kit';
import { PLATFORM_ERASURE } from './erased-keys';
import type { ErasedKeysOfTypes } from './erasure-area';
import { isBlank, MAX_IDENTIFIERS, type Subject } from './subject';

export const ERASURE_AREAS = ['webchat', 'contact-center', 'survey'];

const MODES = ['delete', 'anonymize'] as const;

export class ErasureSubjectRequest {
  @Identifiers(
    'Compared exactly. They match nothing in area C, which knows no user ids.',
    ['customer-4711'],
    (text) => text,
  )
  userIds?: string[] | null;

  @Identifiers(
    'Compared without spaces, dots, dashes and round brackets.',
    ['+84 90 123 4567'],
    comparablePhone,
  )
  phones?: string[] | null;

  @Identifiers('Compared without case.', ['hoa@example.com'], comparableEmail)
  emails?: string[] | null;
}

export class EraseRequest {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    example: '3f0c2b1e-5a7d-4c8e-9b6f-2d1a0e9c8b7a',
    description:
      'Yours, one for each erasure: the same id with the same subject and mode answers the same. Not of a dry run.',
  })
  @ValidateIf(({ dryRun }: EraseRequest) => dryRun !== true)
  @IsUUID('loose')
  @NotEquals(PLATFORM_ERASURE)
  id: string;

  @ApiProperty({ type: ErasureSubjectRequest, description: '1 to 100 identifiers.' })
  @HasIdentifiers()
  @IsObject()
  @ValidateNested()
  @Type(() => ErasureSubjectRequest)
  subject: ErasureSubjectRequest;

  @ApiProperty({
    enum: MODES,
    description: '`anonymize` keeps what is needed for figures; area A deletes in both modes.',
  })
  @IsIn(MODES)
  mode: (typeof MODES)[number];

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: false,
    description: 'True: only counts what would be erased.',
  })
  @IsOptional()
  @IsBoolean()
  dryRun?: boolean | null;
}

const KEYS_DOCUMENT: ApiPropertyOptions = {
  type: 'object',
  additionalProperties: { type: 'array', items: { type: 'string' } },
  example: { conversation: ['c-1'], ticket: ['1001'] },
  description:
    'The keys of the records concerned, by type; a link as link and field (`17/3`). Needed after a backup was restored.',
};

/** Of a certificate; its other fields are ignored. */
export class EraseAgainRequest {
  @ApiProperty({ format: 'uuid' })
  @IsUUID('loose')
  @NotEquals(PLATFORM_ERASURE)
  id: string;

  @ApiProperty({ enum: MODES })
  @IsIn(MODES)
  mode: (typeof MODES)[number];

  @ApiProperty({ enum: ERASURE_AREAS })
  @IsIn(ERASURE_AREAS)
  area: string;

  @ApiProperty({ format: 'date-time' })
  @IsString()
  requestedAt: string;

  @ApiProperty({ example: 'acme' })
  @IsString()
  organizationId: string;

  @ApiProperty(KEYS_DOCUMENT)
  @ValidateBy({
    name: 'isKeys',
    validator: {
      validate: isKeys,
      defaultMessage: () => '$property must be ids of records of this area by their type',
    },
  })
  keys: ErasedKeysOfTypes;
}

export class ErasurePath {
  @ApiProperty({ format: 'uuid', example: '3f0c2b1e-5a7d-4c8e-9b6f-2d1a0e9c8b7a' })
  @IsUUID('loose')
  id: string;
}

export class CertificateResponse {
  @ApiProperty({ type: String, nullable: true, format: 'uuid', description: 'Null of a dry run.' })
  id: string | null;

  @ApiProperty({ example: 'acme' })
  organizationId: string;

  @ApiProperty({ enum: ERASURE_AREAS })
  area: string;

  @ApiProperty({ enum: MODES })
  mode: (typeof MODES)[number];

  @ApiProperty({ format: 'date-time' })
  requestedAt: string;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'Null while a large erasure goes on, and of a dry run.',
  })
  erasedAt: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { conversations: 3, messages: 41 },
    description: 'Records by kind; each area always names the same kinds.',
  })
  found: Readonly<Record<string, number>>;

  @ApiProperty({
    type: Number,
    nullable: true,
    description:
      'A follower of changes that has read up to it holds nothing of the person any more. Null in area A.',
  })
  lastChange: number | null;

  @ApiProperty(KEYS_DOCUMENT)
  keys: ErasedKeysOfTypes;
}

export function subjectOfRequest({ userIds, phones, emails }: ErasureSubjectRequest): Subject {
  return {
    userIds: userIds ?? [],
    phones: (phones ?? []).map(comparablePhone),
    emails: (emails ?? []).map(comparableEmail),
  };
}

function Identifiers(
  description: string,
  example: string[],
  comparable: (text: string) => string,
): PropertyDecorator {
  const decorators = [
    ApiPropertyOptional({ type: [String], nullable: true, example, description }),
    IsOptional(),
    ValidateBy(
      {
        name: 'isIdentifier',
        validator: {
          validate: (text) => typeof text === 'string' && !isBlank(text, comparable),
          defaultMessage: () => 'each value in $property must not be empty',
        },
      },
      { each: true },
    ),
    CodePoints(1, MAX_IDENTIFIER_LENGTH, { each: true }),
    IsString({ each: true }),
    ArrayMaxSize(MAX_IDENTIFIERS),
    IsArray(),
  ];
  return (target, property) => decorators.forEach((decorate) => decorate(target, property));
}

/** Whether a value has the form of a certificate's keys. */
export function isKeys(keys: unknown): keys is ErasedKeysOfTypes {
  return (
    typeof keys === 'object' &&
    keys !== null &&
    !Array.isArray(keys) &&
    Object.values(keys).every((ids) => Array.isArray(ids) && ids.every((id) => typeof id === 'string'))
  );
}

function HasIdentifiers(): PropertyDecorator {
  return ValidateBy({
    name: 'hasIdentifiers',
    validator: {
      validate: (subject) => {
        if (typeof subject !== 'object' || subject === null) return true;
        const { userIds, phones, emails } = subject as ErasureSubjectRequest;
        const count = [userIds, phones, emails].flat().filter((text) => typeof text === 'string').length;
        return count >= 1 && count <= MAX_IDENTIFIERS;
      },
      defaultMessage: () => `$property must have 1 to ${MAX_IDENTIFIERS} identifiers`,
    },
  });
}
