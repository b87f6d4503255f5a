import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsIn,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUUID,
  ValidateBy,
  ValidateIf,
} from 'class-validator';
import { MAX_IDENTIFIER_LENGTH } from '@cxp/identifiers';
import { CodePoints, NestedObject } from '@cxp/service-kit';
import { isNobody, MAX_IDENTIFIERS, type SentIdentifiers } from './eraser';

export class ErasureSubjectRequest implements SentIdentifiers {
  @Identifiers('Compared exactly. They match nothing in area C, which knows no user ids.', ['customer-4711'])
  userIds?: string[] | null;

  @Identifiers('Compared without spaces, dots, dashes and round brackets.', ['+84 90 123 4567'])
  phones?: string[] | null;

  @Identifiers('Compared without case.', ['hoa@example.com'])
  emails?: string[] | null;
}

export class EraseRequest {
  @ApiPropertyOptional({
    type: String,
    format: 'uuid',
    example: '3f0c2b1e-5a7d-4c8e-9b6f-2d1a0e9c8b7a',
    description:
      'A uuid of yours, a new one for each erasure. The same id again answers the same certificate. A dry run has none.',
  })
  @ValidateIf(({ dryRun }: EraseRequest) => dryRun !== true)
  @IsUUID('loose')
  id: string;

  @ApiProperty({
    type: ErasureSubjectRequest,
    description: `1 to ${MAX_IDENTIFIERS} identifiers. Those that are empty when compared (a phone without a digit or letter) are left out.`,
  })
  @HasIdentifiers()
  @NestedObject(() => ErasureSubjectRequest)
  subject: ErasureSubjectRequest;

  /** The only one; anything else is refused, so that nobody takes it for done. */
  @ApiPropertyOptional({ enum: ['delete'] })
  @ValidateIf(({ mode }: EraseRequest) => mode !== undefined)
  @IsIn(['delete'], { message: 'mode must be delete, or be left out' })
  mode?: 'delete';

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    default: false,
    // A copied sample erases nothing.
    example: true,
    description: 'True: only counts what would be erased.',
  })
  @IsOptional()
  @IsBoolean()
  dryRun?: boolean | null;
}

export class ErasurePath {
  @ApiProperty({ format: 'uuid', example: 'c4a1e6d2-9b3f-4f7e-8a5d-6e2b1c0f9d83' })
  @IsUUID('loose')
  id: string;
}

export class CertificateResponse {
  @ApiProperty({ type: String, nullable: true, format: 'uuid', description: 'Null of a dry run.' })
  id: string | null;

  @ApiProperty({ example: 'acme' })
  organizationId: string;

  @ApiProperty({ enum: ['webchat', 'contact-center', 'survey'] })
  area: string;

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
}

function Identifiers(description: string, example: string[]): PropertyDecorator {
  const decorators = [
    ApiPropertyOptional({ type: [String], nullable: true, example, description }),
    IsOptional(),
    CodePoints(0, MAX_IDENTIFIER_LENGTH, { each: true }),
    IsNotEmpty({ each: true, message: '$property must hold no empty text' }),
    IsString({ each: true, message: '$property must be an array of texts' }),
    ArrayMaxSize(MAX_IDENTIFIERS),
    IsArray(),
  ];
  return (target, property) => decorators.forEach((decorate) => decorate(target, property));
}

/** Texts that are no lists of texts have a problem of their own. */
function HasIdentifiers(): PropertyDecorator {
  return ValidateBy({
    name: 'hasIdentifiers',
    validator: {
      validate: (subject) => {
        if (typeof subject !== 'object' || subject === null) return true;
        const { userIds, phones, emails } = subject as ErasureSubjectRequest;
        const texts = (sent: unknown) => [sent].flat().filter((text) => typeof text === 'string');
        const sent = { userIds: texts(userIds), phones: texts(phones), emails: texts(emails) };
        return Object.values(sent).flat().length <= MAX_IDENTIFIERS && !isNobody(sent);
      },
      defaultMessage: () => `$property must have 1 to ${MAX_IDENTIFIERS} identifiers`,
    },
  });
}
