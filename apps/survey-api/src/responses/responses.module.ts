import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module';
import { ResponseController } from './response.controller';
import { ResponseReadModel } from './response.read-model';
import { ResponseService } from './response.service';

@Module({
  imports: [CampaignsModule],
  controllers: [ResponseController],
  providers: [ResponseReadModel, ResponseService],
})
export class ResponsesModule {}
