"""Canonical JSON (RFC 8785) and the digests over it."""

from __future__ import annotations

import hashlib
import json
import math
import re
from datetime import datetime, timedelta
from typing import Any, Iterable, Mapping

_quote = json.JSONEncoder(ensure_ascii=False).encode
_SURROGATE = re.compile("[\ud800-\udfff]")

#: The members of a row of area B that its digest does not cover.
_NOT_COVERED = frozenset(
    {
        "waitTimeBusinessHoursSeconds",
        "firstResponseTimeBusinessHoursSeconds",
        "resolutionTimeBusinessHoursSeconds",
    }
)


def canonical_json(value: Any) -> str:
    """
    The canonical JSON of a value that `json.loads` returned. `json.dumps` differs: it writes other numbers (`1e-07` for `1e-7`,
    `1.0` for `1`), and sorts names by code points and not by UTF-16 code units.
    """
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return _number(float(value))
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    if isinstance(value, Mapping):
        members = (_text(name) + ":" + canonical_json(value[name]) for name in sorted(value, key=_utf16))
        return "{" + ",".join(members) + "}"
    raise TypeError(f"JSON has no {type(value).__name__}")


def json_text(value: Any) -> str:
    """JSON in UTF-8 with the members in their order. It can be stored whatever its texts hold."""
    return _well_formed(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _text(text: str) -> str:
    return _well_formed(_quote(text))


def _well_formed(text: str) -> str:
    """Half a surrogate pair can't be encoded: it is written as JavaScript does."""
    return text if text.isascii() else _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _utf16(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def _number(number: float) -> str:
    """As JavaScript writes it: https://tc39.es/ecma262/#sec-numeric-types-number-tostring"""
    if not math.isfinite(number):
        raise ValueError(f"JSON has no {number}")
    if number == 0:
        return "0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # The value is 0.digits × 10^point.
    point = len(whole) + int(exponent or 0) - (len(whole + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits.ljust(point, "0")
    elif 0 < point <= 21:
        text = f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        dot = "." if len(digits) > 1 else ""
        text = f"{digits[0]}{dot}{digits[1:]}e{point - 1:+d}"
    return text if number > 0 else "-" + text


def item_digest(item: Mapping[str, Any]) -> str:
    """The digest of an upsert of either feed, from what it holds: equal to its `digest`, or something is wrong."""
    covered = {name: item[name] for name in ("key", "conversationUpdatedAt", "survey_campaign_id", "row") if name in item}
    if "conversationUpdatedAt" in item:
        covered["row"] = {name: value for name, value in item["row"].items() if name not in _NOT_COVERED}
    return hashlib.sha256(canonical_json(covered).encode()).hexdigest()[:16]


def xor_digests(digests: Iterable[str]) -> str:
    """The digest of a group of rows from those of its rows."""
    combined = 0
    for digest in digests:
        combined ^= int(digest, 16)
    return format(combined, "016x")


def digest_group(item: Mapping[str, Any]) -> str:
    """What the digests of the service count an upsert to: its day in UTC, of area C its campaign and day in UTC+7."""
    if "conversationUpdatedAt" in item:
        return str(item["conversationUpdatedAt"][:10])
    row = item["row"]
    times = [row.get(f"{name}_timestamp") for name in ("sent", "sending_failed", "opened", "answered")]
    earliest = min((time for time in times if isinstance(time, str)), default=None)
    date = ""
    if earliest is not None:
        date = (datetime.strptime(earliest[:19], "%Y-%m-%dT%H:%M:%S") + timedelta(hours=7)).date().isoformat()
    return f"{item['survey_campaign_id']} {date}"
