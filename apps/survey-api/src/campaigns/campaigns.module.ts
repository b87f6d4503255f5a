import { Module } from '@nestjs/common';
import { CampaignListReadModel } from './campaign-list.read-model';
import { CampaignController } from './campaign.controller';
import { CampaignService } from './campaign.service';

@Module({
  controllers: [CampaignController],
  providers: [CampaignListReadModel, CampaignService],
})
export class CampaignsModule {}
