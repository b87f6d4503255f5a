import { type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { DataSource, EntityManager } from 'typeorm';
import type { ReadReplica } from './read-replica';
import { StatementScope } from './statement-scope';

/** Where to read what may be some seconds old: from the replica while it is there and up to date, else from the primary. */
export class ReadStore implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly primary: DataSource,
    readonly replica?: ReadReplica,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.replica?.watch();
  }

  /**
   * Runs a read, all of whose statements go to one store. A read that fails at the replica, for whichever reason, runs again at
   * the primary: rows and migrations that have not arrived are there.
   */
  async read<Result>(read: (manager: EntityManager) => Promise<Result>): Promise<Result> {
    if (this.replica?.isUsable) {
      try {
        return await this.replica.run(read);
      } catch (error) {
        if (StatementScope.current()?.isOver) throw error;
      }
    }
    return read(this.primary.manager);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.replica?.close();
  }
}
