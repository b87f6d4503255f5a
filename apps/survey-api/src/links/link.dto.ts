import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import type { MetadataValue } from './metadata-mapping';

export class LinkCampaignPath {
  @ApiProperty({ format: 'uuid', example: 'f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42' })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;
}

const SCALARS = [
  { type: 'string' as const, maxLength: 2000 },
  { type: 'number' as const },
  { type: 'null' as const },
];
const VALUE = {
  oneOf: [...SCALARS, { type: 'array' as const, maxItems: 200, items: { oneOf: SCALARS } }],
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
    maxLength: 255,
    example: 'Cửa hàng Hà Nội 01',
    description: 'Whitespace around it is trimmed. Not part of the key.',
  })
  name: string;

  @ApiPropertyOptional({
    type: [MetadataAssociationRequest],
    nullable: true,
    maxItems: 200,
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

  @ApiProperty({ example: 'pT3bV9sXq0mJ2cK8wLr5Zg', description: 'What the address of the survey names.' })
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
