"""A change feed as an iterator."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Callable, Dict, Iterator, List, Optional

from ._errors import ConnectionLost, CursorExpiredError
from ._http import Http, Query

Item = Dict[str, Any]
#: Brings a copy in line with the digests after a 410, and returns their cursor; None: the reading starts at the beginning.
OnExpired = Callable[[], Optional[str]]

#: Between two empty answers, also of a service that does not wait.
_EMPTY_SECONDS = 1.0
#: Readings that start over before one of them has reached its end.
_MAX_STARTS = 5
_START_DELAY_SECONDS = 0.25


@dataclass(frozen=True)
class Batch:
    """Changes that belong together: store them and the cursor in one transaction."""

    #: Each has `op` ("upsert" or "delete"), `change` and `key`; an upsert has `row` and `digest`, a delete has `reason`.
    items: List[Item]
    #: Where to go on after this batch.
    cursor: str
    #: The number up to which the reader that has applied the batch holds everything: compare digests at it.
    change: int
    #: Set on the first batch of a reading from the beginning: "first_reading", "cursor_expired" or the reason of a resync. Rows
    #: that the reader holds from before and that do not appear until `is_current` no longer exist.
    starts_over: Optional[str]
    #: Nothing more was found: with this batch the reader holds a state that existed.
    is_current: bool


class _StartOver(Exception):
    pass


@dataclass(frozen=True, repr=False, eq=False)
class ChangeFeed:
    """The change feed of one area."""

    http: Http
    path: str
    query: Query
    once: bool
    wait: int
    batch_size: int

    def follow(self, cursor: Optional[str], on_expired: Optional[OnExpired]) -> Iterator[Batch]:
        """
        One stream of everything there is, then page by page as changes come; an empty batch says that nothing is new. A batch
        counts as done when the next one is asked for. After an expired cursor or a resync the reading starts over by itself. Raises
        `ConnectionLost` if it starts over again and again.
        """
        starts_over = "first_reading" if cursor is None else None
        starts = 0
        while True:
            try:
                for batch in self._read(cursor):
                    for item in batch.items:
                        if item["op"] == "resync":
                            raise _StartOver(item["reason"])
                    yield replace(batch, starts_over=starts_over)
                    starts_over = None
                    if batch.is_current:
                        starts = 0
                return
            except _StartOver as start:
                reason = str(start)
                if starts == _MAX_STARTS:
                    raise ConnectionLost(f"{self.path} starts over again and again ({reason})") from None
                if starts > 0:
                    time.sleep(_START_DELAY_SECONDS * 2**starts)
                starts += 1
                cursor = on_expired() if on_expired and reason == "cursor_expired" else None
                starts_over = reason if cursor is None else None

    def _read(self, cursor: Optional[str]) -> Iterator[Batch]:
        """One reading. Raises `_StartOver` if its cursor has expired."""
        items: List[Item] = []
        try:
            for line in self.http.lines(self.path, {**self.query, "cursor": cursor}, until_end=True):
                is_end = line["op"] == "end"
                cursor = line.pop("cursor")
                if not is_end:
                    items.append(line)
                if is_end or len(items) >= self.batch_size:
                    yield Batch(items, str(cursor), line["change"], None, is_end)
                    items = []
            while not self.once:
                query = {**self.query, "cursor": cursor, "limit": self.batch_size, "wait": self.wait}
                asked = time.monotonic()
                page = self.http.json(self.path, query, has="items", wait=self.wait)
                if not page["items"]:
                    time.sleep(max(0.0, asked + _EMPTY_SECONDS - time.monotonic()))
                # Area C writes the same names with underscores.
                cursor = page.get("nextCursor") or page["next_cursor"]
                has_more = page["hasMore"] if "hasMore" in page else page["has_more"]
                yield Batch(page["items"], str(cursor), page["change"], None, not has_more)
        except CursorExpiredError:
            # A request without a cursor would get it again and again.
            if cursor is None:
                raise
            raise _StartOver("cursor_expired") from None
