import { Module } from '@nestjs/common';
import { CampaignsModule } from '../campaigns/campaigns.module';
import { MetadataFieldsModule } from '../metadata-fields/metadata-fields.module';
import { ExportPool } from './export-pool';
import { ExportedResponseReadModel } from './exported-response.read-model';
import { ResponseExportController } from './response-export.controller';
import { ResponseExportService } from './response-export.service';

@Module({
  imports: [CampaignsModule, MetadataFieldsModule],
  controllers: [ResponseExportController],
  providers: [ExportPool, ExportedResponseReadModel, ResponseExportService],
})
export class ResponseExportModule {}
