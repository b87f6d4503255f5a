"""Requests to one service: headers, retries, errors, lines of a stream."""

from __future__ import annotations

import http.client
import json
import logging
import random
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from email.message import Message
from typing import IO, Any, Callable, Dict, Iterator, Mapping, Optional, Set, Tuple, TypeVar

from ._errors import ApiError, ConnectionLost, CxpError, api_error

_log = logging.getLogger("cxp_client")

_FIRST_DELAY_SECONDS = 0.5
_JITTER_SECONDS = 0.25
_PIECE_BYTES = 65_536

Query = Mapping[str, Any]
Result = TypeVar("Result")


# Without a handler of redirects: the API has none, and another host must not be given the token.
_opener = urllib.request.OpenerDirector()
for _handler in (
    urllib.request.ProxyHandler,
    urllib.request.UnknownHandler,
    urllib.request.HTTPHandler,
    urllib.request.HTTPSHandler,
    urllib.request.HTTPDefaultErrorHandler,
    urllib.request.HTTPErrorProcessor,
):
    _opener.add_handler(_handler())


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
    _warned_of: Set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.url is not None and not _is_url(self.url):
            # Not quoted: it may be a token in the wrong place, or hold a password.
            raise CxpError(f"{self.name} is no http:// or https:// URL, or has a user, a query or a fragment")

    def json(self, path: str, query: Optional[Query] = None, **options: Any) -> Dict[str, Any]:
        return self.json_with_headers(path, query, **options)[0]

    def json_with_headers(
        self, path: str, query: Optional[Query] = None, *, has: Optional[str] = None, **options: Any
    ) -> Tuple[Dict[str, Any], Message]:
        """The body of a successful answer, and its headers. An answer without the member `has` is none of the API."""
        answer, content = self.answer(lambda answer: (answer, answer.read()), path, query, **options)
        return self._parsed(content, answer, has), answer.headers

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
        address = self._address(path)
        headers = {**self.headers, "accept": accept}
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            try:
                data = json.dumps(body).encode()
            except (TypeError, ValueError) as error:
                raise CxpError(f"{method} {address}: the body can't be sent: {error}") from error
        request = urllib.request.Request(address + _query_string(query or {}), data, headers, method=method)
        retries = 0
        while True:
            try:
                answer = _opener.open(request, timeout=self.timeout + wait)
                self._warn_of_ignored(answer.headers.get("x-ignored-parameters"), address)
                if "html" not in answer.headers.get_content_type():
                    return read(answer)
                with answer:
                    failure: CxpError = self._error(answer.status, answer, answer.headers)
            except urllib.error.HTTPError as error:
                with error:
                    failure = self._error(error.code, error, error.headers)
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
        cursor, retries, where = query.get("cursor"), 0, f"GET {self._address(path)}"
        while True:
            # This has retries of its own.
            opened = self.answer(lambda answer: answer, path, {**query, "cursor": cursor}, accept=accept)
            try:
                for line in (self._parsed(line, opened, "cursor") for line in _ndjson(opened, where)):
                    cursor, retries, is_end = line["cursor"], 0, line.get("op") == "end"
                    yield line
                    if is_end:
                        return
                if not until_end:
                    return
                raise ConnectionLost(f"{where}: the stream has no end")
            except ConnectionLost as error:
                self.wait_for_retry(error, retries)
                retries += 1

    def _warn_of_ignored(self, names: Optional[str], address: str) -> None:
        """Once for each: a misspelled filter is no filter."""
        warning = f"{address}: unknown parameters are ignored: {names}"
        if names is None or warning in self._warned_of:
            return
        self._warned_of.add(warning)
        _log.warning(warning)

    def _address(self, path: str) -> str:
        if self.url is None:
            raise CxpError(f"{self.name} is not set")
        return self.url.rstrip("/") + path

    @property
    def _host(self) -> str:
        return urllib.parse.urlsplit(self.url or "").netloc

    def _parsed(self, content: bytes, answer: http.client.HTTPResponse, has: Optional[str]) -> Dict[str, Any]:
        body = _json_or_text(content)
        if not isinstance(body, dict) or (has is not None and has not in body):
            raise api_error(answer.status, body, answer.headers, self._host)
        return body

    def _error(self, status: int, answer: IO[bytes], headers: Message) -> ApiError:
        """The error of an answer, without the token, which a server that echoes its headers answers."""
        try:
            content = answer.read()
        except (OSError, http.client.HTTPException):
            content = b""
        token = self.headers["authorization"].split(" ")[1]
        body = _json_or_text(content.replace(token.encode(), b"..."))
        return api_error(status, body, headers, self._host)

    def wait_for_retry(self, error: CxpError, retries: int) -> None:
        """Sleeps before a retry, as long as the answer asks for. Raises the error if there is to be none."""
        is_temporary = isinstance(error, ConnectionLost) or getattr(error, "status", 0) in (429, 503)
        if not is_temporary or retries >= self.max_retries:
            raise error
        asked = getattr(error, "retry_after", None) or ""
        # A number of any length, which `int` would refuse.
        seconds = float(asked) if asked.isdecimal() else None
        if seconds is not None and seconds > self.max_delay:
            raise error
        doubled = _FIRST_DELAY_SECONDS * 2 ** min(retries, 16)
        delay = min(doubled, self.max_delay) if seconds is None else seconds
        _log.warning("%s: trying again in %s s", error, delay)
        time.sleep(delay + random.random() * _JITTER_SECONDS)


def _was_refused(error: CxpError) -> bool:
    """Whether nothing of the request was applied. A 503 may come after a part of it."""
    return isinstance(error, ApiError) and (error.status == 429 or error.code == "overloaded")


def _ndjson(answer: http.client.HTTPResponse, where: str) -> Iterator[bytes]:
    with answer:
        rest = b""
        try:
            # Not `readline`: it does not notice an answer that was cut between two chunks.
            while piece := answer.read1(_PIECE_BYTES):
                *lines, rest = (rest + piece).split(b"\n")
                yield from lines
        except (OSError, http.client.HTTPException) as error:
            raise ConnectionLost(f"{where}: the stream was cut: {error or type(error).__name__}") from error
        if rest or answer.length:
            raise ConnectionLost(f"{where}: the stream was cut: the last line is incomplete")


def _query_string(query: Query) -> str:
    given = {name: value for name, value in query.items() if value is not None}
    return "?" + urllib.parse.urlencode(given, doseq=True, errors="replace") if given else ""


def _json_or_text(content: bytes) -> Any:
    text = content.decode("utf-8", "replace")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _is_url(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        return bool(re.fullmatch(r"(?i)https?://[!-~]+", url) and parts.hostname and parts.port != 0) and not set(url) & set("@?#\\")
    except ValueError:
        return False


def segment(name: str) -> str:
    """A name in a path. What is half of a character becomes a question mark, which names nothing."""
    return urllib.parse.quote(name, safe="", errors="replace")
