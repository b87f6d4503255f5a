import type { ServiceProcess } from '@cxp/testing/local-servers';
import { eventually } from '@cxp/service-kit/testing';
import { send, type HttpRequest } from '../src/http';

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

/** Longer than a process needs that is killed and started again. In milliseconds. */
const DONE_WITHIN_MS = 60_000;

/**
 * Sends a request until its answer is 2xx, as a client has to: again after a 503, and after a connection that broke.
 * @param url of the process that is there at the time
 * @throws at any other answer, and after a minute
 */
export async function sendUntilDone<Answer>(url: () => string, request: HttpRequest): Promise<Answer> {
  let answered: unknown;
  await eventually(async () => {
    const answer = await send(url(), request).catch(() => undefined);
    answered = answer?.body;
    if (!answer || answer.status === 503) return false;
    if (answer.status >= 300) throw new Error(`${request.path}: ${answer.status} ${answer.text}`);
    return true;
  }, DONE_WITHIN_MS);
  return answered as Answer;
}
