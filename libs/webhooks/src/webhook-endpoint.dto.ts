import { ApiProperty, ApiPropertyOptional, IntersectionType, PartialType } from '@nestjs/swagger';
import { IsOptional, IsString, IsUUID, ValidateBy } from 'class-validator';
import { CodePoints } from '@cxp/service-kit';
import type { EndpointStatus, WebhookEndpoint } from './webhook-endpoint.repository';

export class WebhookEndpointPath {
  @ApiProperty({ format: 'uuid', example: '7a1f0c9e-2b3d-4e5f-8a6b-0c1d2e3f4a5b' })
  @IsUUID('loose')
  id: string;
}

export const NO_HTTPS = 'url must be an https:// URL';

function problemOf(text: string): string | undefined {
  // The parser leaves out white space, which would be stored.
  const url = URL.canParse(text) && !/\s/.test(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'https:') return NO_HTTPS;
  return url.username || url.password ? 'url must not have a user name or password' : undefined;
}

export class PutWebhookEndpointRequest {
  @ApiProperty({
    example: 'https://hooks.example.com/cxp',
    description:
      '`https` only, without a user name. Every address that its host resolves to has to be public.',
  })
  @ValidateBy({
    name: 'isHttpsUrl',
    validator: {
      validate: (value) => problemOf(String(value)) === undefined,
      defaultMessage: (args) => problemOf(String(args?.value)) ?? '',
    },
  })
  @CodePoints(1, 2_000)
  @IsString()
  url: string;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'The follower of the warehouse' })
  @CodePoints(0, 255)
  @IsString()
  @IsOptional()
  description?: string | null;
}

const TIME = { type: String, format: 'date-time', example: '2026-01-05T02:41:30.000Z' };

export class WebhookEndpointResponse extends WebhookEndpointPath {
  @ApiProperty({ example: 'https://hooks.example.com/cxp' })
  url: string;

  @ApiProperty({ type: String, nullable: true, example: 'The follower of the warehouse' })
  description: string | null;

  @ApiProperty({
    enum: ['active', 'failing', 'disabled'],
    description:
      '`failing`: the last hint was not accepted and is sent again. `disabled`: hints failed for 24 hours, or the endpoint answered 410; ' +
      'put it again to make it active.',
  })
  status: EndpointStatus;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 1043,
    description: 'The last number that it accepted.',
  })
  toldChange: number | null;

  @ApiProperty({ ...TIME, nullable: true })
  lastAttemptAt: Date | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why the last hint failed.' })
  lastError: string | null;

  @ApiProperty({
    ...TIME,
    nullable: true,
    example: null,
    description: 'When a hint that failed is sent again.',
  })
  nextAttemptAt: Date | null;

  @ApiProperty(TIME)
  createdAt: Date;
}

/** Without secrets; times of attempts that nobody waits for are left out. */
export function endpointResponse({
  id,
  url,
  description,
  status,
  toldChange,
  lastAttemptAt,
  lastError,
  nextAttemptAt,
  createdAt,
}: WebhookEndpoint): WebhookEndpointResponse {
  const shown = { id, url, description, status, toldChange, lastAttemptAt, lastError };
  return { ...shown, nextAttemptAt: status === 'failing' ? nextAttemptAt : null, createdAt };
}

export class WebhookEndpointsResponse {
  @ApiProperty({ type: [WebhookEndpointResponse] })
  items: WebhookEndpointResponse[];
}

export class WebhookSecretResponse {
  @ApiProperty({
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
    description: 'What hints are signed with. No call answers it again.',
  })
  secret: string;
}

/** Only a new endpoint's answer has the secret. */
export class PutWebhookEndpointResponse extends IntersectionType(
  WebhookEndpointResponse,
  PartialType(WebhookSecretResponse),
) {}

export class TestHintResponse {
  @ApiPropertyOptional({ type: 'integer', example: 204, description: 'Of the answer, whatever it is.' })
  status?: number;

  @ApiPropertyOptional({ type: 'integer', example: 12 })
  durationMs?: number;

  @ApiPropertyOptional({ example: 'ECONNREFUSED', description: 'Why there was no answer.' })
  error?: string;
}
