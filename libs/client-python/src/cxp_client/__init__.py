"""The client of the external API of the customer experience platform: webchat, contact center, surveys."""

from ._canonical import canonical_json, digest_group, item_digest, xor_digests
from ._client import Client, Export, ExportedRows
from ._errors import (
    ApiError,
    BodyTooLargeError,
    ConnectionLost,
    CursorExpiredError,
    CxpError,
    ForbiddenError,
    InvalidRequestError,
    LinkLimitError,
    NotFoundError,
    RateLimitError,
    UnauthorizedError,
    UnavailableError,
)
from ._feed import Batch
from ._follower import SqliteFollower, Summary
from ._hints import InvalidHintError, verify_hint

__all__ = [
    "ApiError",
    "Batch",
    "BodyTooLargeError",
    "Client",
    "ConnectionLost",
    "CursorExpiredError",
    "CxpError",
    "Export",
    "ExportedRows",
    "ForbiddenError",
    "InvalidHintError",
    "InvalidRequestError",
    "LinkLimitError",
    "NotFoundError",
    "RateLimitError",
    "SqliteFollower",
    "Summary",
    "UnauthorizedError",
    "UnavailableError",
    "canonical_json",
    "digest_group",
    "item_digest",
    "verify_hint",
    "xor_digests",
]
