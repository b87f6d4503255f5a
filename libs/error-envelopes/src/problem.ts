/** For instance `{"loc":["query","startDate"],"msg":"Field required","type":"missing"}`. */
export interface InvalidItem {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Checks stop at this number, per answer and per record. */
export const MAX_PROBLEMS = 100;
export const MAX_RECORD_PROBLEMS = 10;

/**
 * Everything that can go wrong with a request, without HTTP. A new member needs a row of `PROBLEMS`, which the compiler asks
 * for.
 */
export type Problem =
  | { readonly code: 'unauthenticated'; readonly reason: AuthenticationFailure; readonly header?: string }
  | { readonly code: 'permission_missing'; readonly permission: string }
  /** `limit` is for operators: the exceeded setting, or `at_once`. */
  | { readonly code: 'rate_limited'; readonly limit: string; readonly retryAfterSeconds: number }
  | { readonly code: 'organization_mismatch' }
  | { readonly code: 'invalid'; readonly items: readonly InvalidItem[] }
  | { readonly code: 'threshold_exceeded'; readonly model: string; readonly threshold: number }
  | { readonly code: 'resource_not_found'; readonly model: string; readonly id: string }
  /** The cursor was valid and can't be continued any more. */
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

export class ProblemError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.code);
  }
}

/** @throws ProblemError always: 422 with these items */
export function rejectAsInvalid(...items: InvalidItem[]): never {
  throw new ProblemError({ code: 'invalid', items });
}

interface ProblemRow {
  readonly status: number;
  readonly text: string;
  /** `X-Error-Code`, unless it is the problem's code. Codes are stable: none is renamed. */
  readonly errorCode?: string;
  readonly meaning?: string;
}

/**
 * The common answer to each problem; `envelopes.ts` has the areas' wordings. `npm run openapi` writes the codes into
 * apps/README.md.
 */
export const PROBLEMS: { readonly [Code in Problem['code']]: ProblemRow } = {
  unauthenticated: { status: 401, text: 'Unauthorized' },
  permission_missing: {
    status: 403,
    text: 'Permission denied',
    meaning: 'the token is valid, and lacks the permission that `X-Error-Detail` names',
  },
  rate_limited: {
    status: 429,
    text: 'Rate limit exceeded',
    meaning: 'too many requests, or too many of your long calls run at once: wait for `Retry-After`',
  },
  organization_mismatch: {
    status: 403,
    text: 'organizationId does not match the authenticated organization',
    meaning: 'the token is of another organization than the request names',
  },
  invalid: {
    status: 422,
    text: 'Invalid request',
    errorCode: 'invalid_request',
    meaning: 'a parameter or the body is not valid: the answer lists the faults',
  },
  threshold_exceeded: {
    status: 422,
    text: 'threshold_exceeded',
    meaning: 'the campaign has its maximum of links: use an existing one',
  },
  resource_not_found: {
    status: 404,
    text: 'not_found',
    errorCode: 'not_found',
    meaning: 'the organization has no such resource',
  },
  cursor_expired: {
    status: 410,
    text: 'Cursor expired',
    meaning: 'read from the beginning, without a cursor, or what differs',
  },
  gone: { status: 410, text: 'Gone', meaning: 'the survey is closed, or not open yet' },
  route_not_found: { status: 404, text: 'Not Found', meaning: 'the service has no such path' },
  method_not_allowed: {
    status: 405,
    text: 'Method Not Allowed',
    meaning: 'the path does not have this method',
  },
  request_malformed: {
    status: 400,
    text: 'Bad Request',
    errorCode: 'malformed_request',
    meaning:
      'the request is malformed; of a 431 its line and headers are too long: ask for a long list of filters in parts',
  },
  body_too_large: { status: 413, text: 'Payload Too Large', meaning: 'the body is too large' },
  dependency_unavailable: {
    status: 503,
    text: 'Service Unavailable',
    errorCode: 'unavailable',
    meaning: 'a store is not available: wait for `Retry-After`',
  },
  overloaded: {
    status: 503,
    text: 'Service Unavailable',
    meaning: 'too many long calls run at once, and nothing was applied: wait for `Retry-After`',
  },
  unexpected: {
    status: 500,
    text: 'Internal Server Error',
    errorCode: 'internal_error',
    meaning: 'a fault of ours: report the `x-request-id`',
  },
};

const AUTHENTICATION_FAILURES = {
  missing_header: 'a header that every call needs is missing or malformed: `X-Error-Detail` names it',
  auth_type_not_accepted: 'the endpoint does not accept this `auth-type`',
  unknown_token: 'the token does not exist, or was revoked',
  expired_token: 'the token, or the session that it belongs to, has expired',
  organization_mismatch: PROBLEMS.organization_mismatch.meaning!,
} as const;
export type AuthenticationFailure = keyof typeof AUTHENTICATION_FAILURES;

export const CODES_OF_401: readonly string[] = [
  ...Object.keys(AUTHENTICATION_FAILURES),
  'permission_missing',
];

export const ERROR_CODES: readonly (readonly [code: string, meaning: string])[] = [
  ...new Map([
    ...Object.entries(AUTHENTICATION_FAILURES),
    ...Object.entries(PROBLEMS).flatMap(([code, { errorCode, meaning }]) =>
      meaning === undefined ? [] : [[errorCode ?? code, meaning] as const],
    ),
  ]),
];

/** Seconds until clients should retry. */
const DEPENDENCY_RETRY_SECONDS = 1;

/** What the codes mean. */
const CODES_PAGE = '</docs/guide#codes>; rel="help"';

/** For programs: the contract fixes the body. */
export function problemHeaders(problem: Problem, status: number): Readonly<Record<string, string>> {
  const authenticate = status === 401 && { 'WWW-Authenticate': 'Bearer' };
  return { Link: CODES_PAGE, ...authenticate, ...ownHeaders(problem) };
}

function ownHeaders(problem: Problem): Readonly<Record<string, string>> {
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
