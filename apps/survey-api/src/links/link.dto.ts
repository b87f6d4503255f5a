import { ApiProperty } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';

export class LinkCampaignPath {
  @ApiProperty({ format: 'uuid', example: '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01' })
  @IsUUID('loose', { message: '$property must be a uuid' })
  survey_campaign_id: string;
}
