import { Module } from '@nestjs/common';
import { CampaignListReadModel } from './campaign-list.read-model';
import { CampaignController } from './campaign.controller';
import { CampaignRepository } from './campaign.repository';
import { CampaignService } from './campaign.service';

@Module({
  controllers: [CampaignController],
  providers: [CampaignListReadModel, CampaignRepository, CampaignService],
  exports: [CampaignRepository],
})
export class CampaignsModule {}
