import type { Problem } from './problem';

interface ProblemRow {
  readonly status: number;
  readonly text: string;
  /** `X-Error-Code`, if it is not the code of the problem. These are stable: codes are added, none is renamed. */
  readonly errorCode?: string;
}

/** How each problem is answered. What an area words in its own way is in `envelopes.ts`; what each `X-Error-Code` means, in apps/README.md. */
export const PROBLEMS: { readonly [Code in Problem['code']]: ProblemRow } = {
  /** `X-Error-Code` is the reason. */
  unauthenticated: { status: 401, text: 'Unauthorized' },
  permission_missing: { status: 403, text: 'Permission denied' },
  rate_limited: { status: 429, text: 'Rate limit exceeded' },
  organization_mismatch: {
    status: 403,
    text: 'organizationId does not match the authenticated organization',
  },
  invalid: { status: 422, text: 'Invalid request', errorCode: 'invalid_request' },
  threshold_exceeded: { status: 422, text: 'threshold_exceeded' },
  resource_not_found: { status: 404, text: 'not_found', errorCode: 'not_found' },
  cursor_expired: { status: 410, text: 'Cursor expired' },
  gone: { status: 410, text: 'Gone' },
  route_not_found: { status: 404, text: 'Not Found' },
  method_not_allowed: { status: 405, text: 'Method Not Allowed' },
  request_malformed: { status: 400, text: 'Bad Request', errorCode: 'malformed_request' },
  body_too_large: { status: 413, text: 'Payload Too Large' },
  dependency_unavailable: { status: 503, text: 'Service Unavailable', errorCode: 'unavailable' },
  overloaded: { status: 503, text: 'Service Unavailable' },
  unexpected: { status: 500, text: 'Internal Server Error', errorCode: 'internal_error' },
};

/** What is wrong with the credentials of a request. */
export const AUTHENTICATION_FAILURES = [
  'missing_header',
  'auth_type_not_accepted',
  'unknown_token',
  'expired_token',
  'organization_mismatch',
] as const;
export type AuthenticationFailure = (typeof AUTHENTICATION_FAILURES)[number];

/** How long a client should wait for PostgreSQL or Redis to come back, in seconds. */
const DEPENDENCY_RETRY_SECONDS = 1;

/** The headers of an answer: for programs, beside the body, which the contract fixes. */
export function problemHeaders(problem: Problem): Readonly<Record<string, string>> {
  const code = { 'X-Error-Code': PROBLEMS[problem.code].errorCode ?? problem.code };
  switch (problem.code) {
    case 'unauthenticated': {
      const detail = problem.header && { 'X-Error-Detail': problem.header };
      return { 'X-Error-Code': problem.reason, ...detail };
    }
    case 'permission_missing':
      return { ...code, 'X-Error-Detail': problem.permission };
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
