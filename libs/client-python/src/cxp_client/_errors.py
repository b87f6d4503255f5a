"""The errors that the client raises."""

from __future__ import annotations

import re
from email.message import Message
from typing import Any, Mapping, Optional, Type


class CxpError(Exception):
    """Every error that the client raises."""


class ConnectionLost(CxpError):
    """No complete answer arrived: the connection failed, was cut, or took too long."""


class ApiError(CxpError):
    """The service answered with an error."""

    def __init__(self, status: int, body: Any, headers: Message, host: Optional[str] = None) -> None:
        self.status = status
        #: The parsed JSON, or the text if it is no JSON.
        self.body = body
        #: The `x-request-id` of the answer.
        self.request_id: Optional[str] = headers.get("x-request-id")
        #: The stable code of the error, from the header `x-error-code`.
        self.code: Optional[str] = headers.get("x-error-code")
        #: The permission or the header that is missing, from the header `x-error-detail`.
        self.detail: Optional[str] = headers.get("x-error-detail")
        self.retry_after: Optional[str] = headers.get("retry-after")
        cause = _cause(self.code, self.detail) if status in (401, 403) or self.code == "route_not_found" else ""
        where = ", ".join(filter(None, [host, self.request_id and f"request {self.request_id}"]))
        other = "without what the API answers: " if status < 300 else ""
        super().__init__(f"{status} {other}{_describe(body)}{cause}" + (f" ({where})" if where else ""))


class UnauthorizedError(ApiError):
    """401: the token is missing, wrong, expired or of another organization; in areas A and B also a missing permission."""


class ForbiddenError(ApiError):
    """403: a missing permission (area C), or another organization (area B)."""


class NotFoundError(ApiError):
    """404: the resource does not exist in the organization."""


class CursorExpiredError(ApiError):
    """410: the cursor of a change feed has expired. The feed must be read again from the beginning."""


class InvalidRequestError(ApiError):
    """422: the request is not valid."""


class RateLimitError(ApiError):
    """429: the rate limit is exceeded, also after the retries."""


class UnavailableError(ApiError):
    """503: the service is unavailable, also after the retries."""


_KINDS: Mapping[int, Type[ApiError]] = {
    401: UnauthorizedError,
    403: ForbiddenError,
    404: NotFoundError,
    410: CursorExpiredError,
    422: InvalidRequestError,
    429: RateLimitError,
    503: UnavailableError,
}


def api_error(status: int, body: Any, headers: Message, host: str) -> ApiError:
    """The error of the kind that the status stands for."""
    return _KINDS.get(status, ApiError)(status, body, headers, host)


#: Why a token is not accepted, by the code of the error.
_CAUSES = {
    "missing_header": "a header is missing or malformed",
    "auth_type_not_accepted": "the endpoint does not accept this auth-type",
    "unknown_token": "the token does not exist, or was revoked",
    "expired_token": "the token has expired",
    "organization_mismatch": "the token is of another organization",
    "permission_missing": "the token lacks the permission",
    "route_not_found": "the service has no such path: is its URL right?",
}


def _cause(code: Optional[str], detail: Optional[str]) -> str:
    """The body of a 401 has no cause, its headers have."""
    if code is None:
        return ""
    return f": {_CAUSES.get(code, code)}" + (f" ({detail})" if detail else "")


#: Characters of a text that is none of the API.
_MAX_QUOTED = 500


def _describe(body: Any) -> str:
    """The sentence in a body, whichever area wrote it."""
    if isinstance(body, str):
        if re.match(r"\s*<(!doctype|html)", body, re.IGNORECASE):
            return "a page of HTML: is the URL that of the API?"
        return body[:_MAX_QUOTED] or "no description"
    if isinstance(body, list):
        # No list of lists is of the API, and one may be as deep as its text is long.
        return "; ".join(_describe(one) for one in body if not isinstance(one, list))
    if not isinstance(body, dict):
        return "no description"
    return _describe(next((body[name] for name in ("detail", "message", "msg") if name in body), None))
