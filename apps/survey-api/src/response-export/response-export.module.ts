import { Module } from '@nestjs/common';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { ResponseReadModel } from '../responses/response.read-model';
import { ExportLimitGuard } from './export-limit.guard';
import { ResponseExportController } from './response-export.controller';
import { ResponseExportService } from './response-export.service';

@Module({
  controllers: [ResponseExportController],
  providers: [
    CampaignRepository,
    ExportLimitGuard,
    MetadataFieldRepository,
    ResponseReadModel,
    ResponseExportService,
  ],
})
export class ResponseExportModule {}
