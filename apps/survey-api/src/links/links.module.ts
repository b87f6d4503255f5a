import { Module } from '@nestjs/common';
import { MetadataFieldsModule } from '../metadata-fields/metadata-fields.module';
import { LinkController } from './link.controller';
import { LinkRepository } from './link.repository';
import { LinkService } from './link.service';

@Module({
  imports: [MetadataFieldsModule],
  controllers: [LinkController],
  providers: [LinkRepository, LinkService],
})
export class LinksModule {}
