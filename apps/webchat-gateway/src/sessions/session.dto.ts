import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { IsInt, IsNotEmpty, IsOptional, IsString, Matches } from 'class-validator';
import { VISIBLE_TEXT } from '@cxp/identifiers';
import { CodePoints, NestedObject } from '@cxp/service-kit';

/** Characters. */
const USER_FIELD_LENGTH = 255;

const UserField = (options: ApiPropertyOptions) =>
  applyDecorators(
    ApiPropertyOptional({ nullable: true, type: String, maxLength: USER_FIELD_LENGTH, ...options }),
    IsString(),
    CodePoints(0, USER_FIELD_LENGTH),
    IsOptional(),
  );

export class WebchatUserRequest {
  @UserField({
    example: 'customer-4711',
    description:
      "The customer's stable id in your system. Strongly recommended: history comes back only through it. Omitted, " +
      'an id of the form `Webchat-<uuid>` is made and returned as `userId`.',
  })
  // Nobody can type again what can't be seen.
  @Matches(VISIBLE_TEXT, { message: '$property must not be empty' })
  id?: string | null;

  @UserField({ example: 'Nguyễn Thị Hoa' })
  name?: string | null;

  @UserField({ example: 'hoa@example.com' })
  email?: string | null;

  @UserField({ example: '+84 90 123 4567' })
  phone?: string | null;
}

export class CreateSessionRequest {
  @ApiProperty({ example: 'demo', description: 'The organization that the request authenticates against.' })
  @IsString()
  @IsNotEmpty({ message: '$property must not be empty' })
  organizationId: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Id of the installed source (webchat channel).' })
  @IsInt()
  installedSourceId: number;

  @ApiPropertyOptional({
    nullable: true,
    type: () => WebchatUserRequest,
    description: 'Customer information.',
  })
  @IsOptional()
  @NestedObject(() => WebchatUserRequest)
  user?: WebchatUserRequest | null;
}

export class RefreshSessionRequest {
  @ApiProperty({
    example: '0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11',
    description: '`sessionId` of a created session.',
  })
  @IsString()
  @IsNotEmpty({ message: '$property must not be empty' })
  sessionId: string;
}

export class RefreshSessionResponse {
  @ApiProperty({
    example: 'eyJhbGciOiJIUzI1NiIs…',
    description: 'A JWT, valid 1 hour from creation or last refresh.',
  })
  sessionToken: string;

  @ApiProperty({ type: 'integer', example: 1_767_225_600, description: 'Unix epoch seconds of its expiry.' })
  sessionTokenExpiration: number;
}

export class CreateSessionResponse extends RefreshSessionResponse {
  @ApiProperty({
    example: 'customer-4711',
    description: 'The user id of the session, provided or generated.',
  })
  userId: string;

  @ApiProperty({ example: '0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11' })
  sessionId: string;

  @ApiProperty({ example: 'wss://webchat.example.com/sessions/0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11' })
  websocketUrl: string;

  @ApiProperty({ example: '5b6f2a0e-3a59-4a8e-8d0a-2f0a4a1a9a77' })
  conversationId: string;
}
