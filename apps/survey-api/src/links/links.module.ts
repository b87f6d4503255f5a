import { Module } from '@nestjs/common';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { LinkController } from './link.controller';
import { LinkRepository } from './link.repository';
import { LinkService } from './link.service';

@Module({
  controllers: [LinkController],
  providers: [LinkRepository, LinkService, MetadataFieldRepository],
})
export class LinksModule {}
