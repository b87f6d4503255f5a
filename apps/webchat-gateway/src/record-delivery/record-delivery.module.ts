import { Module } from '@nestjs/common';
import { RecordSender } from './record-sender';
import { UndeliveredRepository } from './undelivered.repository';

@Module({ providers: [RecordSender, UndeliveredRepository] })
export class RecordDeliveryModule {}
