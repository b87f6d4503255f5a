import { Module } from '@nestjs/common';
import { OutboxAnnouncer } from './outbox-announcer';
import { OutboxRelay } from './outbox-relay';
import { OutboxRepository } from './outbox.repository';

@Module({ providers: [OutboxAnnouncer, OutboxRelay, OutboxRepository] })
export class OutboxModule {}
