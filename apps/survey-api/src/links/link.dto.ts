import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import {
  MAX_BATCH_ITEMS,
  MAX_MAPPING_ITEMS,
  MAX_NAME_CHARACTERS,
  MAX_VALUE_CHARACTERS,
  MAX_VALUE_ITEMS,
} from './link-request';
import type { MetadataValue } from './metadata-mapping';

export class LinkCampaignPath {
  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;
}

const SCALARS = [
  { type: 'string' as const, maxLength: MAX_VALUE_CHARACTERS },
  { type: 'number' as const },
  { type: 'null' as const },
];
const VALUE = {
  oneOf: [...SCALARS, { type: 'array' as const, maxItems: MAX_VALUE_ITEMS, items: { oneOf: SCALARS } }],
};

export class MetadataAssociationRequest {
  @ApiProperty({ type: 'integer', example: 3, description: 'Id of a metadata field of the organization.' })
  metadata_id: number;

  @ApiPropertyOptional({
    ...VALUE,
    example: 'Hà Nội 01',
    description: 'Absent is `null`.',
  })
  value?: MetadataValue;
}

/** For the document; `parseLinkRequest` checks the body. */
export class CreateLinkRequest {
  @ApiProperty({
    minLength: 1,
    maxLength: MAX_NAME_CHARACTERS,
    example: 'Cửa hàng Hà Nội 01',
    description: 'Whitespace around it is trimmed. Not part of the key.',
  })
  name: string;

  @ApiPropertyOptional({
    type: [MetadataAssociationRequest],
    nullable: true,
    maxItems: MAX_MAPPING_ITEMS,
    description:
      'Together with the campaign the key: its order does not matter, each field is named once; absent, `null` and `[]` ' +
      'are the same.',
  })
  metadata_mapping?: MetadataAssociationRequest[] | null;
}

export class LinkMetadataResponse {
  @ApiProperty({ type: 'integer', example: 3 })
  id: number;

  @ApiProperty({ example: 'Cửa hàng' })
  name: string;

  @ApiProperty({ example: 'store' })
  variable: string;
}

export class MetadataMappingItemResponse {
  @ApiProperty({ type: LinkMetadataResponse })
  metadata: LinkMetadataResponse;

  @ApiProperty({ ...VALUE, example: 'Hà Nội 01' })
  value: MetadataValue;
}

export class LinkResponse {
  @ApiProperty({ type: 'integer', example: 41 })
  id: number;

  @ApiProperty({
    example: 'pT3bV9sXq0mJ2cK8wLr5Zg',
    description: 'Identifies the link in the public address of the survey.',
  })
  public_id: string;

  @ApiProperty({ example: 'Cửa hàng Hà Nội 01' })
  name: string;

  @ApiProperty({ type: [MetadataMappingItemResponse] })
  metadata_mapping: readonly MetadataMappingItemResponse[];

  @ApiProperty({ format: 'date-time', example: '2026-11-20T08:15:30.000Z' })
  created: string;

  @ApiProperty({ format: 'date-time', example: '2026-11-20T08:15:30.000Z' })
  updated: string;
}

/** For the document; `parseLinkBatch` checks the body. */
export class CreateLinkBatchRequest {
  @ApiProperty({
    type: [CreateLinkRequest],
    minItems: 1,
    maxItems: MAX_BATCH_ITEMS,
    description: 'Bodies of the endpoint for one link.',
  })
  items: CreateLinkRequest[];
}

export class LinkBatchItemResponse {
  @ApiProperty({
    type: 'integer',
    enum: [200, 422],
    example: 200,
    description: '200: the link exists now. 422: no link was created.',
  })
  status: number;

  @ApiProperty({
    oneOf: [
      { $ref: getSchemaPath(LinkResponse) },
      { type: 'object', required: ['detail'], properties: { detail: {} } },
    ],
    description: 'The body that the endpoint for one link answers with this status.',
  })
  body: LinkResponse | object;

  @ApiProperty({
    type: String,
    format: 'uri',
    nullable: true,
    example: 'https://s.example.com/s/pT3bV9sXq0mJ2cK8wLr5Zg',
    description: 'The public address of the survey; `null` without a link or without public survey pages.',
  })
  url: string | null;
}

@ApiExtraModels(LinkResponse)
export class LinkBatchResponse {
  @ApiProperty({ type: [LinkBatchItemResponse], description: 'In the order of the request.' })
  items: readonly LinkBatchItemResponse[];
}
