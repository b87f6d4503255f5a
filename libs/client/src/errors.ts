/** Every error of the client, except the reason of an aborted signal. */
export class CxpError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No complete answer arrived: the connection failed, was cut, or took too long. */
export class ConnectionError extends CxpError {}

export class ApiError extends CxpError {
  constructor(
    readonly status: number,
    /** Parsed JSON, or the text. */
    readonly body: unknown,
    /** The `x-request-id` of the answer. */
    readonly requestId: string | null,
    /** The stable code: the header `x-error-code`. */
    readonly code: string | null = null,
    /** The missing permission or header: the header `x-error-detail`. */
    readonly detail: string | null = null,
    /** The host that was called. */
    readonly host: string | null = null,
  ) {
    const hasCause = status === 401 || status === 403 || code === 'route_not_found';
    const cause = hasCause ? causeOf(code, detail) : '';
    const where = [host, requestId && `request ${requestId}`].filter(Boolean).join(', ');
    const what = status < 300 ? `without what the API answers: ${describe(body)}` : describe(body);
    super(`${status} ${what}${cause}${where && ` (${where})`}`);
  }
}

const CAUSES: Readonly<Record<string, string>> = {
  missing_header: 'a header is missing or malformed',
  auth_type_not_accepted: 'the endpoint does not accept this auth-type',
  unknown_token: 'the token does not exist, or was revoked',
  expired_token: 'the token has expired',
  organization_mismatch: 'the token is of another organization',
  permission_missing: 'the token lacks the permission',
  route_not_found: 'the service has no such path: is its URL right?',
};

/** A 401 states its cause in its headers, not in its body. */
function causeOf(code: string | null, detail: string | null): string {
  if (code === null) return '';
  return `: ${CAUSES[code] ?? code}${detail === null ? '' : ` (${detail})`}`;
}

/** 401: the token is missing, wrong, expired or of another organization; in areas A and B also a missing permission. */
export class UnauthorizedError extends ApiError {}

/** 403: a missing permission (area C), or another organization (area B). */
export class ForbiddenError extends ApiError {}

/** 404: the resource does not exist in the organization. */
export class NotFoundError extends ApiError {}

/** 410: the feed's cursor has expired; read the feed from the beginning. */
export class CursorExpiredError extends ApiError {}

export interface InvalidItem {
  /** For instance `['query', 'startDate']`; empty in area A. */
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** 422: the request is not valid. */
export class InvalidRequestError extends ApiError {
  get items(): readonly InvalidItem[] {
    const { detail, message } = this.body as { detail?: unknown; message?: unknown };
    if (Array.isArray(detail)) return detail as InvalidItem[];
    const sentences = Array.isArray(message) ? message : [detail ?? message];
    return sentences.map((sentence) => ({ loc: [], msg: describe(sentence), type: 'invalid' }));
  }
}

/** 429: the rate limit is exceeded, also after the retries. */
export class RateLimitError extends ApiError {}

/** 503: the service is unavailable, also after the retries. */
export class UnavailableError extends ApiError {}

export function apiError({ status, headers }: Response, body: unknown, host: string): ApiError {
  const Kind = KINDS[status] ?? ApiError;
  const header = (name: string) => headers.get(name);
  return new Kind(
    status,
    body,
    header('x-request-id'),
    header('x-error-code'),
    header('x-error-detail'),
    host,
  );
}

const KINDS: Readonly<Record<number, typeof ApiError>> = {
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  410: CursorExpiredError,
  422: InvalidRequestError,
  429: RateLimitError,
  503: UnavailableError,
};

/** Characters of a text that is none of the API. */
const MAX_QUOTED = 500;

/** Reads the message of any area. */
function describe(body: unknown): string {
  if (typeof body === 'string') {
    if (/^\s*<(!doctype|html)/i.test(body)) return 'a page of HTML: is the URL that of the API?';
    return body.slice(0, MAX_QUOTED) || 'no description';
  }
  if (Array.isArray(body)) return body.map(describe).join('; ');
  if (typeof body !== 'object' || body === null) return 'no description';
  const { detail, message, msg } = body as Record<string, unknown>;
  return describe(detail ?? message ?? msg);
}
