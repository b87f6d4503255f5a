import { Module } from '@nestjs/common';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { ResponseController } from './response.controller';
import { ResponseReadModel } from './response.read-model';
import { ResponseService } from './response.service';

@Module({
  controllers: [ResponseController],
  providers: [CampaignRepository, ResponseReadModel, ResponseService],
})
export class ResponsesModule {}
