"""Hints: what a webhook endpoint receives (https://www.standardwebhooks.com)."""

import base64
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping

# How old a hint may be, and how far ahead its clock, in seconds.
TOLERANCE_SECONDS = 300


class InvalidHintError(Exception):
    """A hint that the service did not sign, or that was signed long ago."""


def verify_hint(headers: Mapping[str, str], body: bytes, secret: str) -> Any:
    """Reads a hint that a webhook endpoint has received. `body` is as it arrived, `secret` begins with `whsec_`."""
    sent = {name.lower(): value for name, value in headers.items()}
    timestamp = sent.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise InvalidHintError("the hint has no recent timestamp")
    key = base64.b64decode(secret[len("whsec_") :] if secret.startswith("whsec_") else secret)
    signed = f"{sent.get('webhook-id', '')}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    for signature in sent.get("webhook-signature", "").split(" "):
        if hmac.compare_digest(signature.encode(), expected):
            return json.loads(body)
    raise InvalidHintError("the hint is not signed with the secret")
