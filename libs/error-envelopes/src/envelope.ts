import type { Problem } from './problem';

/** An answer to a problem: what goes over the wire. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Turns each kind of problem into one family's status and body. */
export type Envelope = (problem: Problem) => ErrorAnswer;

/** How long a client should wait for PostgreSQL or Redis to come back, in seconds. */
const DEPENDENCY_RETRY_SECONDS = 1;

export function problemHeaders(problem: Problem): Record<string, string> | undefined {
  switch (problem.code) {
    case 'rate_limited':
    case 'overloaded':
      return { 'Retry-After': String(problem.retryAfterSeconds) };
    case 'dependency_unavailable':
      return { 'Retry-After': String(DEPENDENCY_RETRY_SECONDS) };
    case 'method_not_allowed':
      return { Allow: problem.allow.join(', ') };
    default:
      return undefined;
  }
}
