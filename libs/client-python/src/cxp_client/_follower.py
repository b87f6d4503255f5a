"""A follower that keeps a copy in SQLite."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, timedelta
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Type, Union

from ._canonical import canonical_json, digest_group, item_digest, json_text, xor_digests
from ._client import Client, ConversationSessions, SurveyResponses
from ._errors import CxpError, InvalidRequestError
from ._feed import Batch, Item

_log = logging.getLogger("cxp_client")

#: How often a group of rows that change while they are compared is looked at again.
_MAX_LOOKS = 5
_VERIFY_EVERY_SECONDS = 600
#: Stands for the digest of a group with a row whose own digest does not fit.
_DAMAGED = "damaged"


class _Column(NamedTuple):
    name: str
    type: str
    member: str


class _Area(NamedTuple):
    """What differs between the two areas that can be followed."""

    table: str
    key: Tuple[_Column, ...]
    #: The one column beside the key that the digest covers.
    extra: _Column


AREAS: Dict[str, _Area] = {
    "contact-center": _Area(
        "conversation_session",
        (
            _Column("conversation_id", "TEXT NOT NULL", "conversationId"),
            _Column("session_index", "INTEGER", "sessionIndex"),
            _Column("ticket_id", "INTEGER", "ticketId"),
        ),
        _Column("conversation_updated_at", "TEXT", "conversationUpdatedAt"),
    ),
    "survey": _Area(
        "survey_response",
        (_Column("identifier", "TEXT NOT NULL", "identifier"),),
        _Column("survey_campaign_id", "TEXT", "survey_campaign_id"),
    ),
}


@dataclass(frozen=True)
class _State:
    """How far a copy has come."""

    cursor: Optional[str]
    change: int
    #: Counts the readings from the beginning.
    reading: int
    #: Whether the reading has come to its end once: then the copy holds no rows of earlier readings.
    is_complete: bool


class Summary(NamedTuple):
    rows: int
    #: The number up to which the copy holds everything.
    change: int
    #: Groups of rows whose digests were compared; None without `verify`.
    verified: Optional[int]
    #: Those that differed: the copy was read again.
    mended: List[str]


class SqliteFollower:
    """
    Keeps a copy of one area's rows in step with the service. Items and cursor are stored in one transaction: it may be killed at
    any time, and the next one goes on where it stopped. A second follower of the same file is refused. It belongs to the thread
    that made it.
    """

    def __init__(self, client: Client, area: str, path: str) -> None:
        self._area = AREAS[area]
        self._feed: Union[ConversationSessions, SurveyResponses]
        if area == "contact-center":
            self._feed = sessions = client.conversation_sessions
            self._digests: Callable[[str, str], Any] = lambda first, last: sessions.digests(first, last, "UTC")
        else:
            self._feed = responses = client.survey_responses
            self._digests = responses.digests
        # Its lock ends with the process, wherever that is killed.
        self._lock = sqlite3.connect(os.path.realpath(path) + ".lock", isolation_level=None, timeout=0)
        self._db = sqlite3.connect(path, isolation_level=None, timeout=60)
        try:
            self._lock.execute("BEGIN EXCLUSIVE")
            self._state = self._open(area, client.organization_id)
        except sqlite3.OperationalError as error:
            self.close()
            if "locked" in str(error):
                raise CxpError(f"another follower writes to {path}") from None
            raise
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        self._db.close()
        self._lock.close()

    def __enter__(self) -> SqliteFollower:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def run(self, *, once: bool = False, verify: bool = False) -> Summary:
        """Returns only with `once`. `verify`: compares digests when the copy is up to date, and reads it again if they differ."""
        while True:
            self._catch_up()
            verified, mended = self._verify_and_mend() if verify else (None, [])
            summary = Summary(self.count(), self._state.change, verified, mended)
            _log.info("%s: %d rows, up to date", self._area.table, summary.rows)
            if once:
                return summary
            due = time.monotonic() + _VERIFY_EVERY_SECONDS
            for batch in self._feed.changes(self._state.cursor):
                self._store(batch)
                if verify and batch.is_current and time.monotonic() > due:
                    break

    def count(self) -> int:
        return int(self._db.execute(f"SELECT count(*) FROM {self._area.table}").fetchone()[0])

    def items(self) -> Iterator[Item]:
        """The rows of the copy as the feed writes them."""
        columns = ", ".join(column.name for column in (*self._area.key, self._area.extra))
        for *key, extra, change, digest, row in self._db.execute(
            f'SELECT {columns}, change, digest, "row" FROM {self._area.table}'
        ):
            yield {
                "op": "upsert",
                "change": change,
                "key": {column.member: value for column, value in zip(self._area.key, key)},
                self._area.extra.member: extra,
                "digest": digest,
                "row": json.loads(row),
            }

    def _open(self, area: str, organization_id: str) -> _State:
        """Makes the tables at the first start."""
        columns = ", ".join(f"{column.name} {column.type}" for column in (*self._area.key, self._area.extra))
        # Readers of the copy and the follower do not wait for each other.
        self._db.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS cxp_follow_state (area TEXT PRIMARY KEY, organization_id TEXT NOT NULL, "
                "cursor TEXT, change INTEGER NOT NULL, reading INTEGER NOT NULL, is_complete INTEGER NOT NULL)"
            )
            # A unique index would take rows with NULL in their key as different ones.
            self._db.execute(
                f'CREATE TABLE IF NOT EXISTS {self._area.table} ("key" TEXT PRIMARY KEY, {columns}, '
                'change INTEGER NOT NULL, digest TEXT NOT NULL, "row" TEXT NOT NULL, reading INTEGER NOT NULL)'
            )
            self._db.execute(
                "INSERT OR IGNORE INTO cxp_follow_state VALUES (?, ?, NULL, 0, 0, 0)", (area, organization_id)
            )
            organization, *state = self._db.execute(
                "SELECT organization_id, cursor, change, reading, is_complete FROM cxp_follow_state WHERE area = ?", (area,)
            ).fetchone()
        self._name = area
        if organization != organization_id:
            raise CxpError(f"the table {self._area.table} is a copy of organization {organization}")
        return _State(*state)

    def _catch_up(self) -> None:
        for batch in self._feed.changes(self._state.cursor, once=True):
            self._store(batch)

    def _store(self, batch: Batch) -> None:
        """Stores the changes and the cursor together. At the end of a reading the rows that it did not find are removed."""
        if batch.starts_over:
            _log.info("reading from the beginning: %s", batch.starts_over)
        was_complete = self._state.is_complete and not batch.starts_over
        state = _State(
            batch.cursor,
            batch.change,
            self._state.reading + (1 if batch.starts_over else 0),
            batch.is_current or was_complete,
        )
        if state == self._state:
            return
        table = self._area.table
        with self._transaction():
            for item in batch.items:
                key = canonical_json(item["key"])
                if item["op"] == "delete":
                    self._db.execute(f'DELETE FROM {table} WHERE "key" = ?', (key,))
                    continue
                values = [
                    key,
                    *(item["key"][column.member] for column in self._area.key),
                    item[self._area.extra.member],
                    item["change"],
                    item["digest"],
                    json_text(item["row"]),
                    state.reading,
                ]
                self._db.execute(f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(values))})", values)
            if state.is_complete and not was_complete:
                self._db.execute(f"DELETE FROM {table} WHERE reading < ?", (state.reading,))
            self._db.execute(
                "UPDATE cxp_follow_state SET cursor = ?, change = ?, reading = ?, is_complete = ? WHERE area = ?",
                (state.cursor, state.change, state.reading, state.is_complete, self._name),
            )
        self._state = state

    def _verify_and_mend(self) -> Tuple[int, List[str]]:
        groups, differing = self.compare()
        if not differing:
            return groups, []
        _log.warning("the copy differs from the service in %s: reading it again", ", ".join(differing))
        self._state = replace(self._state, cursor=None)
        self._catch_up()
        groups, still = self.compare()
        if still:
            raise CxpError(f"the copy differs in {', '.join(still)}")
        return groups, differing

    def compare(self) -> Tuple[int, List[str]]:
        """
        Compares the copy with the digests of the service: how many groups of rows (days, of area C of each campaign) there are, and
        those that differ. A group that changes at each look is left out.
        """
        suspects: Optional[Set[str]] = None
        changing: Set[str] = set()
        before: Dict[str, str] = {}
        for _ in range(_MAX_LOOKS):
            change, served = self._served_digests()
            self._catch_up()
            copied = self._copied_digests()
            differing = {group for group in served.keys() | copied.keys() if served.get(group) != copied.get(group)}
            suspects = differing if suspects is None else suspects & differing
            # Without a change after the digests, both are of the same state.
            is_same_state = self._state.change <= change
            # A damaged group differs, whatever changes.
            possible = set() if is_same_state else {group for group in suspects if copied.get(group) != _DAMAGED}
            changing = {group for group in possible if served.get(group) != before.get(group)}
            if not suspects or is_same_state:
                break
            before = served
        if changing:
            _log.warning("not compared, because they change: %s", ", ".join(sorted(changing)))
        return len(served.keys() - changing), sorted((suspects or set()) - changing)

    def _copied_digests(self) -> Dict[str, str]:
        """From the rows as they are stored. A row whose own digest does not fit makes its group differ."""
        digests: Dict[str, str] = {}
        damaged: Set[str] = set()
        for item in self.items():
            group, digest = digest_group(item), item_digest(item)
            digests[group] = xor_digests((digests.get(group, "0"), digest))
            if digest != item["digest"]:
                damaged.add(group)
        return {group: _DAMAGED if group in damaged else digest for group, digest in digests.items()}

    def _served_digests(self) -> Tuple[int, Dict[str, str]]:
        change, items = _all_digests(self._digests, date.min, date.max)
        campaigns = ((f"{item['survey_campaign_id']} " if "survey_campaign_id" in item else "", item) for item in items)
        return change, {campaign + item["date"]: item["digest"] for campaign, item in campaigns}

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise


def _all_digests(read: Callable[[str, str], Any], first: date, last: date) -> Tuple[int, List[Item]]:
    """
    The digests of all days. A window that holds too much for one answer is halved. The change is that of the first answer: what is
    read later may be newer.
    """
    try:
        answer = read(first.isoformat(), last.isoformat())
        return answer["change"], answer["items"]
    except InvalidRequestError as error:
        if first == last or not any(item.get("type") == "too_large" for item in error.items):
            raise
    middle = first + (last - first) // 2
    change, earlier = _all_digests(read, first, middle)
    return change, earlier + _all_digests(read, middle + timedelta(days=1), last)[1]
