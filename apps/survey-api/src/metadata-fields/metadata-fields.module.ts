import { Module } from '@nestjs/common';
import { MetadataFieldRepository } from './metadata-field.repository';

@Module({ providers: [MetadataFieldRepository], exports: [MetadataFieldRepository] })
export class MetadataFieldsModule {}
