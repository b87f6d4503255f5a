import type { Problem } from './problem';

/** What is wrong with the credentials of a request, as `X-Error-Code` says it. */
export type AuthenticationFailure =
  'missing_header' | 'auth_type_not_accepted' | 'unknown_token' | 'expired_token' | 'organization_mismatch';

/** The stable codes of `X-Error-Code`, and what each means. Codes are added; none is renamed. */
export const ERROR_CODES = {
  missing_header: 'a header that every call needs is missing or malformed: X-Error-Detail names it',
  auth_type_not_accepted: 'the endpoint does not accept this auth-type',
  unknown_token: 'the token does not exist, or was revoked',
  expired_token: 'the token, or the session that it belongs to, has expired',
  organization_mismatch: 'the token is of another organization than the request names',
  permission_missing: 'the token is valid, and lacks the permission that X-Error-Detail names',
  not_found: 'there is no such thing in the organization',
  route_not_found: 'the service has no such path',
  method_not_allowed: 'the path does not have this method',
  cursor_expired: 'it is no longer possible to continue from the cursor',
  gone: 'it is not offered any more',
  malformed_request: 'the request can not be read',
  body_too_large: 'the body is too large',
  invalid_request: 'a parameter or the body is not valid: the body lists everything that is wrong',
  threshold_exceeded: 'there are as many as may be',
  rate_limited: 'too many requests: wait for Retry-After',
  overloaded: 'too many long calls run at once: wait for Retry-After',
  unavailable: 'a store is not available: wait for Retry-After',
  internal_error: 'a fault of ours',
} as const;

type ErrorCode = keyof typeof ERROR_CODES;

const CODES: { readonly [Code in Exclude<Problem['code'], 'unauthenticated'>]: ErrorCode } = {
  permission_missing: 'permission_missing',
  rate_limited: 'rate_limited',
  organization_mismatch: 'organization_mismatch',
  invalid: 'invalid_request',
  threshold_exceeded: 'threshold_exceeded',
  resource_not_found: 'not_found',
  cursor_expired: 'cursor_expired',
  gone: 'gone',
  route_not_found: 'route_not_found',
  method_not_allowed: 'method_not_allowed',
  request_malformed: 'malformed_request',
  body_too_large: 'body_too_large',
  dependency_unavailable: 'unavailable',
  overloaded: 'overloaded',
  unexpected: 'internal_error',
};

/** The headers that tell a program what is wrong, beside the body, which the contract fixes. */
export function errorHeaders(problem: Problem): Readonly<Record<string, string>> {
  switch (problem.code) {
    case 'unauthenticated':
      return withDetail(problem.reason, problem.header);
    case 'permission_missing':
      return withDetail('permission_missing', problem.permission);
    default:
      return withDetail(CODES[problem.code]);
  }
}

function withDetail(code: ErrorCode, detail?: string): Record<string, string> {
  return { 'X-Error-Code': code, ...(detail !== undefined && { 'X-Error-Detail': detail }) };
}
