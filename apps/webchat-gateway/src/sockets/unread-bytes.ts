import { MAX_UNREAD_BYTES_IN_ALL } from '../chat-protocol/limits';

/** What waits in this process for clients that do not read, over all sockets. */
export class UnreadBytes {
  private readonly sockets = new Map<{ cutOff(): void }, number>();
  private total = 0;

  /** @param bytes that wait for this socket now */
  set(socket: { cutOff(): void }, bytes: number): void {
    this.total += bytes - (this.sockets.get(socket) ?? 0);
    if (bytes > 0) this.sockets.set(socket, bytes);
    else this.sockets.delete(socket);
    if (this.total > MAX_UNREAD_BYTES_IN_ALL) this.cutOffSlowest();
  }

  /** Until half is free, so that it is seldom repeated. */
  private cutOffSlowest(): void {
    const slowestFirst = [...this.sockets].sort(([, one], [, other]) => other - one);
    for (const [socket, bytes] of slowestFirst) {
      if (this.total <= MAX_UNREAD_BYTES_IN_ALL / 2) return;
      this.sockets.delete(socket);
      this.total -= bytes;
      socket.cutOff();
    }
  }
}
