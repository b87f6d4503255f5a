import type { AuthenticationFailure } from './problem-table';

/** One thing that is wrong with a request, and where: `{"loc":["query","startDate"],"msg":"Field required","type":"missing"}`. */
export interface InvalidItem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** The most problems that one answer lists, and those of one record among them: a check stops there. */
export const MAX_PROBLEMS = 100;
export const MAX_RECORD_PROBLEMS = 10;

/**
 * Everything that can go wrong with a request, as a value without HTTP. A new kind is a member here and a row of `PROBLEMS`, which
 * the compiler asks for.
 */
export type Problem =
  /** `header` is the one that is missing. */
  | { readonly code: 'unauthenticated'; readonly reason: AuthenticationFailure; readonly header?: string }
  | { readonly code: 'permission_missing'; readonly permission: string }
  /** `limit` is for operators: the setting that is exceeded, or `at_once`. */
  | { readonly code: 'rate_limited'; readonly limit: string; readonly retryAfterSeconds: number }
  | { readonly code: 'organization_mismatch' }
  | { readonly code: 'invalid'; readonly items: readonly InvalidItem[] }
  | { readonly code: 'threshold_exceeded'; readonly model: string; readonly threshold: number }
  | { readonly code: 'resource_not_found'; readonly model: string; readonly id: string }
  /** A cursor that was issued, but from which it is no longer possible to continue. */
  | { readonly code: 'cursor_expired' }
  | { readonly code: 'gone'; readonly message: string }
  | { readonly code: 'route_not_found' }
  | { readonly code: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly code: 'request_malformed'; readonly status: number; readonly message: string }
  /** `limit` is a sentence that names it. */
  | { readonly code: 'body_too_large'; readonly limit?: string }
  | { readonly code: 'dependency_unavailable' }
  | { readonly code: 'overloaded'; readonly retryAfterSeconds: number }
  | { readonly code: 'unexpected' };

/** Carries a problem from where it is found to the filter that answers it. */
export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** @throws ProblemError always: 422 with these items */
export function rejectAsInvalid(...items: InvalidItem[]): never {
  throw new ProblemError({ code: 'invalid', items });
}
