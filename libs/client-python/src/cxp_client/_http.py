"""Requests to one service: headers, retries, errors, lines of a stream."""

from __future__ import annotations

import http.client
import json
import logging
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from email.message import Message
from typing import Any, Callable, Dict, Iterator, Mapping, Optional, Tuple, TypeVar

from ._errors import ApiError, ConnectionLost, CxpError, api_error

_log = logging.getLogger("cxp_client")

_FIRST_DELAY_SECONDS = 0.5
_JITTER_SECONDS = 0.25
_PIECE_BYTES = 65_536

Query = Mapping[str, Any]
Result = TypeVar("Result")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The API has no redirects, and another host must not be given the token."""

    def redirect_request(self, *_: Any) -> None:
        return None


_opener = urllib.request.build_opener(_NoRedirects)


# No `repr`: it would show the token.
@dataclass(frozen=True, repr=False, eq=False)
class Http:
    url: Optional[str]
    #: The option of the client that the URL comes from.
    name: str
    headers: Mapping[str, str]
    timeout: float
    max_retries: int
    max_delay: float

    def json(self, path: str, query: Optional[Query] = None, **options: Any) -> Dict[str, Any]:
        return dict(json.loads(self.content(path, query, **options)[0]))

    def content(self, path: str, query: Optional[Query] = None, **options: Any) -> Tuple[bytes, Message]:
        """The body of a successful answer, and its headers."""
        return self.answer(lambda answer: (answer.read(), answer.headers), path, query, **options)

    def answer(
        self,
        read: Callable[[http.client.HTTPResponse], Result],
        path: str,
        query: Optional[Query] = None,
        *,
        method: str = "GET",
        body: Any = None,
        accept: str = "application/json",
        wait: float = 0,
        repeatable: bool = True,
    ) -> Result:
        """
        What `read` makes of a successful answer. The request is sent again after a 429 or 503 and after a lost connection; if it is
        not repeatable, only if it was refused before anything was applied.
        """
        if self.url is None:
            raise CxpError(f"{self.name} is not set")
        if not self.url.startswith(("http://", "https://")):
            raise CxpError(f"{self.name} is no http:// or https:// URL: {self.url}")
        address = self.url.rstrip("/") + path
        headers = {**self.headers, "accept": accept}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(body).encode()
        request = urllib.request.Request(address + _query_string(query or {}), data, headers, method=method)
        retries = 0
        while True:
            try:
                return read(_opener.open(request, timeout=self.timeout + wait))
            except urllib.error.HTTPError as error:
                with error:
                    failure: CxpError = api_error(error.code, _body_of(error), error.headers)
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", error) or type(error).__name__
                failure = ConnectionLost(f"{method} {address}: {reason}")
                failure.__cause__ = error
            if not repeatable and not _was_refused(failure):
                raise failure
            self.wait_for_retry(failure, retries)
            retries += 1

    def lines(
        self, path: str, query: Query, *, accept: str = "application/x-ndjson", until_end: bool = False
    ) -> Iterator[Dict[str, Any]]:
        """
        The lines of a stream as they arrive, each of which has a cursor. A stream that is cut goes on after its last line.

        `until_end`: the last line has `op` "end"; a stream without it was cut.
        """
        cursor, retries = query.get("cursor"), 0
        while True:
            # This has retries of its own.
            opened = self.answer(lambda answer: answer, path, {**query, "cursor": cursor}, accept=accept)
            try:
                for line in _ndjson(opened):
                    cursor, retries, is_end = line["cursor"], 0, line.get("op") == "end"
                    yield line
                    if is_end:
                        return
                if not until_end:
                    return
                raise ConnectionLost(f"GET {path}: the stream has no end")
            except ConnectionLost as error:
                self.wait_for_retry(error, retries)
                retries += 1

    def wait_for_retry(self, error: CxpError, retries: int) -> None:
        """Sleeps before a retry, as long as the answer asks for. Raises the error if there is to be none."""
        is_temporary = isinstance(error, ConnectionLost) or getattr(error, "status", 0) in (429, 503)
        if not is_temporary or retries >= self.max_retries:
            raise error
        asked = getattr(error, "retry_after", None) or ""
        if asked.isdecimal() and int(asked) > self.max_delay:
            raise error
        doubled = _FIRST_DELAY_SECONDS * 2 ** min(retries, 16)
        delay = int(asked) if asked.isdecimal() else min(doubled, self.max_delay)
        _log.warning("%s: trying again in %s s", error, delay)
        time.sleep(delay + random.random() * _JITTER_SECONDS)


def _was_refused(error: CxpError) -> bool:
    """Whether nothing of the request was applied. A 503 may come after a part of it."""
    return isinstance(error, ApiError) and (error.status == 429 or error.code == "overloaded")


def _ndjson(answer: http.client.HTTPResponse) -> Iterator[Dict[str, Any]]:
    with answer:
        rest = b""
        try:
            # Not `readline`: it does not notice an answer that was cut between two chunks.
            while piece := answer.read1(_PIECE_BYTES):
                *lines, rest = (rest + piece).split(b"\n")
                yield from map(json.loads, lines)
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionLost(f"the stream was cut: {error or type(error).__name__}") from error
        if rest or answer.length:
            raise ConnectionLost("the stream was cut: the last line is incomplete")


def _query_string(query: Query) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return "?" + urllib.parse.urlencode(given, doseq=True) if given else ""


def _body_of(error: urllib.error.HTTPError) -> Any:
    try:
        text = error.read().decode("utf-8", "replace")
    except (OSError, http.client.HTTPException):
        return ""
    try:
        return json.loads(text)
    except ValueError:
        return text
