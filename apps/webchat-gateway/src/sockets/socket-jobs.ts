import { Injectable, Logger } from '@nestjs/common';
import { RepeatedJob, RunsByItself } from '@cxp/storage';
import { SocketServer } from './socket-server';

/** One timer serves all sockets: a timer for each would cost more than the rest. */
@RunsByItself({
  name: 'The clock of sockets',
  services: 'A',
  pauseMs: 1_000,
  connections: 'none',
  missed: 'Sockets stay open after their session or their last sign of life: `webchat_sockets` only grows',
})
@Injectable()
export class SocketClock extends RepeatedJob {
  private readonly logger = new Logger(SocketClock.name);

  constructor(private readonly sockets: SocketServer) {
    super();
  }

  protected work(): Promise<void> {
    this.sockets.tick();
    return Promise.resolve();
  }

  protected warn(error: unknown): void {
    this.logger.error(error);
  }
}

/** Finds events that were stored and not published. */
@RunsByItself({
  name: 'Lost events are looked for',
  services: 'A',
  pauseMs: 5_000,
  connections: 'of requests',
  missed:
    'A chat shows an event that Redis lost only with the next one. Log: "lost events are not looked for"',
})
@Injectable()
export class LostEventsJob extends RepeatedJob {
  private readonly logger = new Logger(LostEventsJob.name);

  constructor(private readonly sockets: SocketServer) {
    super();
  }

  protected work(): Promise<void> {
    return this.sockets.deliverLostEvents();
  }

  protected warn(error: unknown): void {
    this.logger.error(error);
  }
}
