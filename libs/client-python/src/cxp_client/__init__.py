"""The client of the external API of the customer experience platform: webchat, contact center, surveys."""

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
    "UnauthorizedError",
    "UnavailableError",
    "verify_hint",
]
