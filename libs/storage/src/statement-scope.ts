import { AsyncLocalStorage } from 'node:async_hooks';

declare module 'fastify' {
  interface FastifyRequest {
    /** What runs in PostgreSQL for the request. Set by service-kit. */
    statements: StatementScope;
  }
}

const current = new AsyncLocalStorage<StatementScope>();

/** The scope of what is being started; see `start`. */
let starting: StatementScope | undefined;

/** The number of scopes that work runs in. */
let openScopes = 0;

/**
 * The statements that run for one request. The pool of connections looks the scope up by itself, so that no repository has to
 * pass it on: connections are shared out by the scope's shares, and when the scope ends, its statements are cancelled.
 */
export class StatementScope {
  /** What the connections of the scope are counted by, for instance its route and its organization. */
  private shares: readonly string[];
  private readonly endListeners = new Set<() => void>();
  private over = false;
  private isOpen = false;

  constructor(...shares: readonly string[]) {
    this.shares = shares;
  }

  /** The scope of the code that runs, if it runs for a request. */
  static current(): StatementScope | undefined {
    return starting ?? current.getStore();
  }

  /** Runs work that several requests wait for, and which therefore must not end with one of them. */
  static leave<Result>(work: () => Result): Result {
    return whileStarting(undefined, () => current.exit(work));
  }

  /** Runs work, and whatever it starts, in this scope, until the scope is closed. */
  run<Result>(work: () => Result): Result {
    if (!this.isOpen) openScopes += 1;
    this.isOpen = true;
    return current.run(this, work);
  }

  /**
   * Starts work in this scope: what it does before it first waits. For routes that are called often, which pass their scope on
   * to each statement: `run` makes every promise of the process slower on Node.js 20.
   */
  start<Result>(work: () => Result): Result {
    return whileStarting(this, work);
  }

  /** Work no longer runs in this scope. While there is no open scope, promises cost nothing extra. */
  close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    openScopes -= 1;
    if (openScopes === 0) current.disable();
  }

  /** Counts the connections that the scope asks for from now on by one more share. */
  addShare(share: string): void {
    this.shares = [...this.shares, share];
  }

  get sharesNow(): readonly string[] {
    return this.shares;
  }

  get isOver(): boolean {
    return this.over;
  }

  /** Whether it holds no connection and waits for none. */
  get isIdle(): boolean {
    return this.endListeners.size === 0;
  }

  /** Cancels what runs, and lets nothing more run. */
  end(): void {
    this.over = true;
    for (const listener of [...this.endListeners]) listener();
    this.endListeners.clear();
  }

  /** @returns takes the listener back */
  onEnd(listener: () => void): () => void {
    this.endListeners.add(listener);
    return () => void this.endListeners.delete(listener);
  }
}

function whileStarting<Result>(scope: StatementScope | undefined, work: () => Result): Result {
  const outer = starting;
  starting = scope;
  try {
    return work();
  } finally {
    starting = outer;
  }
}
