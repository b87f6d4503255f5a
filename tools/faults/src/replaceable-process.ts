import type { ServiceProcess } from '@cxp/local-servers';

/** One of a service's processes, which another replaces when it is killed. */
export class ReplaceableProcess {
  private printed = '';

  private constructor(
    private readonly start: () => Promise<ServiceProcess>,
    private current: ServiceProcess,
  ) {}

  static async start(start: () => Promise<ServiceProcess>): Promise<ReplaceableProcess> {
    return new ReplaceableProcess(start, await start());
  }

  get url(): string {
    return this.current.url;
  }

  /** The output of the current process and of those before it. */
  output(): string {
    return this.printed + this.current.output();
  }

  /** Kills it as `kill -9` does, and resolves when another one is ready in its place. */
  async kill(): Promise<void> {
    this.current.signal('SIGKILL');
    await this.current.exited;
    this.printed += this.current.output();
    this.current = await this.start();
  }

  stop(): Promise<void> {
    return this.current.stop();
  }
}
