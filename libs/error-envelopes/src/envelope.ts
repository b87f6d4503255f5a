import { errorHeaders } from './error-codes';
import type { Problem } from './problem';

/** What an area says of a problem. */
export interface ErrorBody {
  readonly status: number;
  readonly body: object;
}

/** An answer to a problem: what goes over the wire. */
export interface ErrorAnswer extends ErrorBody {
  readonly headers: Readonly<Record<string, string>>;
}

/** Turns each kind of problem into one family's status and body. */
export type Envelope = (problem: Problem) => ErrorAnswer;

/** How long a client should wait for PostgreSQL or Redis to come back, in seconds. */
const DEPENDENCY_RETRY_SECONDS = 1;

export function problemHeaders(problem: Problem): Readonly<Record<string, string>> {
  const code = errorHeaders(problem);
  switch (problem.code) {
    case 'rate_limited':
    case 'overloaded':
      return { ...code, 'Retry-After': String(problem.retryAfterSeconds) };
    case 'dependency_unavailable':
      return { ...code, 'Retry-After': String(DEPENDENCY_RETRY_SECONDS) };
    case 'method_not_allowed':
      return { ...code, Allow: problem.allow.join(', ') };
    default:
      return code;
  }
}
