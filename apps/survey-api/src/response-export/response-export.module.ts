import { Module } from '@nestjs/common';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { ExportLimitGuard } from './export-limit.guard';
import { ExportedResponseReadModel } from './exported-response.read-model';
import { ResponseExportController } from './response-export.controller';
import { ResponseExportService } from './response-export.service';

@Module({
  controllers: [ResponseExportController],
  providers: [
    CampaignRepository,
    ExportedResponseReadModel,
    ExportLimitGuard,
    MetadataFieldRepository,
    ResponseExportService,
  ],
})
export class ResponseExportModule {}
