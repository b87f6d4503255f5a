/** What a process holds for its sockets. Beyond the limit those that use the most are cut off. */
export class SharedBytes {
  private readonly sockets = new Map<{ cutOff(): void }, number>();
  private total = 0;

  constructor(private readonly limit: number) {}

  /** @param bytes that are held for this socket now */
  set(socket: { cutOff(): void }, bytes: number): void {
    this.total += bytes - (this.sockets.get(socket) ?? 0);
    if (bytes > 0) this.sockets.set(socket, bytes);
    else this.sockets.delete(socket);
    if (this.total > this.limit) this.cutOffLargest();
  }

  /** Until half is free, so that it is seldom repeated. */
  private cutOffLargest(): void {
    const largestFirst = [...this.sockets].sort(([, one], [, other]) => other - one);
    for (const [socket, bytes] of largestFirst) {
      if (this.total <= this.limit / 2) return;
      this.sockets.delete(socket);
      this.total -= bytes;
      socket.cutOff();
    }
  }
}
