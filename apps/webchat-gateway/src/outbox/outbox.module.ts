import { Module } from '@nestjs/common';
import { OutboxRelay } from './outbox-relay';
import { OutboxRepository } from './outbox.repository';

@Module({ providers: [OutboxRelay, OutboxRepository] })
export class OutboxModule {}
