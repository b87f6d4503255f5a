import { Module } from '@nestjs/common';
import { ExportLimitGuard } from './export-limit.guard';
import { ResponseExportController } from './response-export.controller';
import { ResponseExportService } from './response-export.service';

@Module({
  controllers: [ResponseExportController],
  providers: [ExportLimitGuard, ResponseExportService],
})
export class ResponseExportModule {}
