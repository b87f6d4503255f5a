"""The client of the external API of the customer experience platform: webchat, contact center, surveys."""

from ._client import Client as Client, Export as Export
from ._errors import (
    ApiError as ApiError,
    ConnectionLost as ConnectionLost,
    CursorExpiredError as CursorExpiredError,
    CxpError as CxpError,
    ForbiddenError as ForbiddenError,
    InvalidRequestError as InvalidRequestError,
    NotFoundError as NotFoundError,
    RateLimitError as RateLimitError,
    UnauthorizedError as UnauthorizedError,
    UnavailableError as UnavailableError,
)
from ._feed import Batch as Batch
