"""Hints: what a webhook endpoint receives (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import json
import re
import time
from email.message import Message
from typing import Any, Dict, Iterable, Mapping, Tuple, Union

# How old a hint may be, and how far ahead its clock, in seconds.
TOLERANCE_SECONDS = 300

#: Headers as frameworks have them: a mapping, the message of `http.server`, pairs. Names are compared without case.
Headers = Union[Mapping[str, str], Message, Iterable[Tuple[str, str]]]


class InvalidHintError(Exception):
    """A hint that the service did not sign, or that was signed long ago. The message says what is wrong with it."""


def verify_hint(headers: Headers, body: Union[bytes, str], secret: str) -> Any:
    """
    Reads a hint that a webhook endpoint has received. `body` is as it arrived, not parsed. Raises `InvalidHintError`, or `ValueError` if
    the secret is none.
    """
    key = _key(secret)
    sent = {name.lower(): value for name, value in dict(headers).items()}
    hint_id, timestamp, signatures = (_header(sent, f"webhook-{part}") for part in ("id", "timestamp", "signature"))
    if not re.fullmatch("[0-9]{1,12}", timestamp):
        raise InvalidHintError("webhook-timestamp is no time in Unix seconds")
    age = time.time() - int(timestamp)
    if age > TOLERANCE_SECONDS:
        raise InvalidHintError(f"the hint is older than {TOLERANCE_SECONDS} s")
    if age < -TOLERANCE_SECONDS:
        raise InvalidHintError("the hint is of a time to come: compare the clocks")

    content = body.encode() if isinstance(body, str) else body
    digest = hmac.new(key, f"{hint_id}.{timestamp}.".encode() + content, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    candidates = [part for part in signatures.split(" ") if part.startswith("v1,")]
    if not candidates:
        raise InvalidHintError("webhook-signature holds no signature of version v1")
    if not any(hmac.compare_digest(part.encode(), expected) for part in candidates):
        raise InvalidHintError("the body, as it was passed, is not signed with the secret")
    return json.loads(content)


def _header(sent: Dict[str, str], name: str) -> str:
    value = sent.get(name, "").strip()
    if not value:
        raise InvalidHintError(f"the header {name} is missing")
    return value


def _key(secret: str) -> bytes:
    found = re.fullmatch(r"(?:whsec_)?([A-Za-z0-9+/]+=*)", secret.strip())
    if not found:
        raise ValueError("the secret is not the text `whsec_…` that the endpoint was created with")
    return base64.b64decode(found[1])
