"""The operations of the three areas."""

from __future__ import annotations

import os
import re
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Union

from ._errors import CxpError
from ._feed import Batch, ChangeFeed, OnExpired
from ._http import Http, Query, segment

Json = Dict[str, Any]
_MAX_PER_PAGE = 100


class Client:
    """
    The external API for a backend. Requests are sent again after 429 and 503 as the headers of the answer say, and after a lost
    connection. A client may be used by several threads.
    """

    def __init__(
        self,
        *,
        organization_id: str,
        token: str,
        webchat_url: Optional[str] = None,
        contact_center_url: Optional[str] = None,
        survey_url: Optional[str] = None,
        auth_type: str = "token",
        timeout: float = 30,
        max_retries: int = 5,
        max_delay: float = 65,
    ) -> None:
        """
        `timeout`: the longest silence of a connection, in seconds. `max_retries`: how often a request is sent again. `max_delay`:
        the longest wait before that, in seconds; a request whose `Retry-After` asks for more fails.
        """
        if not organization_id or not token:
            raise CxpError("organization_id and token are needed")
        # Not quoted: no error has a token.
        if not re.fullmatch(r"[A-Za-z0-9_.~+/=-]+", token):
            raise CxpError("token has a character that no token has")
        if not re.fullmatch(r"[ -~]+", organization_id):
            raise CxpError("organization_id is no printable ASCII text")
        if auth_type not in ("token", "account"):
            raise CxpError("auth_type is token or account")
        headers = {
            "authorization": f"Bearer {token}",
            "organization-id": organization_id,
            "auth-type": auth_type,
        }

        def http(url: Optional[str], name: str) -> Http:
            return Http(url, name, headers, timeout, max_retries, max_delay)

        self.organization_id = organization_id
        self.sessions = Sessions(http(webchat_url, "webchat_url"), organization_id)
        self.conversation_sessions = ConversationSessions(http(contact_center_url, "contact_center_url"))
        survey = http(survey_url, "survey_url")
        self.survey_campaigns = SurveyCampaigns(survey)
        self.survey_responses = SurveyResponses(survey)
        self.survey_links = SurveyLinks(survey)

    @classmethod
    def from_environment(cls, **options: Any) -> Client:
        """
        Of the variables `ORGANIZATION_ID`, `API_TOKEN`, `WEBCHAT_URL`, `CONTACT_CENTER_URL` and `SURVEY_URL`; the last three may be
        missing: the calls of that area then fail. Options that are not None win. Raises `CxpError` that names the variable that is not set.
        """
        given = {name: value for name, value in options.items() if value is not None}
        for name in ("organization_id", "token", "webchat_url", "contact_center_url", "survey_url"):
            variable = "API_TOKEN" if name == "token" else name.upper()
            given.setdefault(name, os.environ.get(variable) or None)
            if given[name] is None and name in ("organization_id", "token"):
                raise CxpError(f"{variable} is not set: set this environment variable")
        return cls(**given)


class Sessions:
    """Area A: webchat sessions."""

    def __init__(self, http: Http, organization_id: str) -> None:
        self._http, self._organization_id = http, organization_id

    def create(self, installed_source_id: int, user: Optional[Mapping[str, Any]] = None) -> Json:
        """
        Creates a session, or returns the live one of the user. Without `user["id"]` every call makes a new user: it is sent again only
        if it was refused.
        """
        body: Json = {"organizationId": self._organization_id, "installedSourceId": installed_source_id}
        if user is not None:
            body["user"] = user
        repeatable = isinstance((user or {}).get("id"), str)
        return self._http.json("/external/sessions", method="POST", body=body, repeatable=repeatable)

    def refresh(self, session_id: str) -> Json:
        """Extends a live session by an hour. Raises `NotFoundError` if it has ended."""
        return self._http.json("/external/sessions/refresh", method="POST", body={"sessionId": session_id})


class _Operations:
    def __init__(self, http: Http) -> None:
        self._http = http


class ConversationSessions(_Operations):
    """Area B: one row per agent session and matched ticket. Filters have the names of the API in snake_case."""

    _PATH = "/external/conversation-sessions"

    def page(self, start_date: str, end_date: str, **filters: Any) -> Json:
        """One page: `page`, `per_page`, `timezone`, `session_agent_emails`, `assignee_account_ids`, `session_end_reasons`, `cursor`."""
        return self._http.json(self._PATH, _camel_case(start_date=start_date, end_date=end_date, **filters), has="items")

    def list(self, start_date: str, end_date: str, **filters: Any) -> Iterator[Json]:
        """Every row of the window, page by page. Conversations that change meanwhile are at the end, once more."""
        # By cursors: a conversation that changes between two pages moves the numbers of those after it.
        cursor: Optional[str] = ""
        while cursor is not None:
            page = self.page(start_date, end_date, **{"per_page": _MAX_PER_PAGE, **filters, "cursor": cursor})
            yield from page["items"]
            cursor = page["nextCursor"] if len(page["items"]) == page["perPage"] else None

    def stream(self, start_date: str, end_date: str, *, for_copy: bool = False, **filters: Any) -> Iterator[Json]:
        """
        Every row of the window as one stream, each with its `cursor`, which is faster and counts as one request. A stream that is cut
        goes on after its last row. `for_copy`: rows also have `conversationUpdatedAt`, which their digests cover.
        """
        query = _camel_case(start_date=start_date, end_date=end_date, **filters)
        accept = "application/x-ndjson; profile=copy" if for_copy else "application/x-ndjson"
        return self._http.lines(self._PATH, query, accept=accept)

    def of_conversation(self, conversation_id: str, timezone: Optional[str] = None) -> List[Json]:
        """Every row of one conversation. Raises `NotFoundError`."""
        path = f"{self._PATH}/{segment(conversation_id)}"
        return list(self._http.json(path, {"timezone": timezone}, has="items")["items"])

    def explanation(
        self,
        conversation_id: str,
        timezone: Optional[str] = None,
        human_schedule: Optional[Json] = None,
        *,
        session_index: Union[int, str, None] = None,
        ticket_id: Union[int, str, None] = None,
    ) -> Json:
        """
        Why each figure of the rows of one conversation is what it is, or would be with another schedule: of the first 100 rows, or of those
        that are chosen (`"none"`: those without a session or ticket). Raises `NotFoundError`.
        """
        path = f"{self._PATH}/{segment(conversation_id)}/explanation"
        query = {"timezone": timezone, "sessionIndex": session_index, "ticketId": ticket_id}
        if human_schedule is None:
            return self._http.json(path, query)
        body = {"humanSchedule": human_schedule}
        return self._http.json(path, query, method="POST", body=body, repeatable=True)

    def changes(
        self,
        cursor: Optional[str] = None,
        *,
        once: bool = False,
        wait: int = 25,
        batch_size: int = 500,
        timezone: Optional[str] = None,
        on_expired: Optional[OnExpired] = None,
    ) -> Iterator[Batch]:
        """
        Follows all changes of the organization's rows, from the beginning or a cursor. `once`: ends as soon as nothing more is
        found, instead of waiting for more, `wait` seconds a request; an empty batch says that nothing is new. `on_expired` is
        called after a 410, in place of a reading from the beginning.
        """
        query = {"timezone": timezone}
        feed = ChangeFeed(self._http, "/external/conversation-session-changes", query, once, wait, batch_size)
        return feed.follow(cursor, on_expired)

    def digests(self, start_date: str, end_date: str, timezone: Optional[str] = None) -> Json:
        """
        What a right copy of the window comes to, day by day. After a 410, when `changes` calls `on_expired`: compare them with the
        copy, of all days that there are; read the days that differ, remove what they no longer have, and return `cursor`.
        If more than half of them differ, or `schedule` is not that of the copy, return None.
        """
        query = _camel_case(start_date=start_date, end_date=end_date, timezone=timezone)
        digests, headers = self._http.json_with_headers("/external/conversation-session-digests", query, has="items")
        return {**digests, "schedule": headers.get("x-human-schedule")}


class SurveyCampaigns(_Operations):
    """Area C: campaigns."""

    def page(self, **filters: Any) -> Json:
        """One page: `page`, `per_page`, `survey_campaign_ids`, `statuses`, `has_interaction_from`, `search`."""
        return self._http.json("/external/survey-campaigns", filters, has="items")

    def list(self, **filters: Any) -> Iterator[Json]:
        """
        The campaigns that match, page by page. One that is answered meanwhile moves to the first page: it may come twice, or not at
        all.
        """
        return _items(self.page, **{"per_page": _MAX_PER_PAGE, **filters})


class Export(NamedTuple):
    """An export of responses: what its headers say, and its rows."""

    total_count: int
    #: Whether the limit of rows left some out.
    is_truncated: bool
    start_date: str
    #: By the titles of the columns.
    rows: List[Json]


class SurveyResponses(_Operations):
    """Area C: responses. Days are those of UTC+7."""

    _PATH = "/external/survey-responses"

    def page(self, survey_campaign_id: str, start_date: str, end_date: str, **paging: Any) -> Json:
        """One page: `page`, `per_page`."""
        return self._http.json(self._PATH, {**_window(survey_campaign_id, start_date, end_date), **paging}, has="items")

    def list(self, survey_campaign_id: str, start_date: str, end_date: str) -> Iterator[Json]:
        """The responses of the window, page by page. If some are removed meanwhile, others may be left out: `changes` loses none."""
        return _items(self.page, per_page=_MAX_PER_PAGE, **_window(survey_campaign_id, start_date, end_date))

    def export_rows(self, survey_campaign_id: str, start_date: str, end_date: str) -> Export:
        """The rows of the export by the titles of their columns."""
        window = _window(survey_campaign_id, start_date, end_date)
        body, headers = self._http.json_with_headers(f"{self._PATH}/export", window, method="POST", has="items")
        return Export(
            total_count=int(headers["x-total-count"]),
            is_truncated=headers["x-export-truncated"] == "true",
            start_date=headers["x-export-start-date"],
            rows=body["items"],
        )

    def changes(
        self,
        cursor: Optional[str] = None,
        *,
        once: bool = False,
        wait: int = 25,
        batch_size: int = 500,
        on_expired: Optional[OnExpired] = None,
    ) -> Iterator[Batch]:
        """Follows all changes of the organization's responses, as `ConversationSessions.changes`."""
        feed = ChangeFeed(self._http, "/external/survey-response-changes", {}, once, wait, batch_size)
        return feed.follow(cursor, on_expired)

    def digests(self, start_date: str, end_date: str, survey_campaign_id: Optional[str] = None) -> Json:
        """What a right copy of the window comes to, by campaign and day, as `ConversationSessions.digests`; it has no `schedule`."""
        query = _window(survey_campaign_id, start_date, end_date)
        return self._http.json("/external/survey-response-digests", query, has="items")


class SurveyLinks(_Operations):
    """Area C: survey links."""

    def create(
        self, survey_campaign_id: str, name: str, metadata_mapping: Optional[Sequence[Mapping[str, Any]]] = None
    ) -> Json:
        """
        Creates a link, or returns the one that exists for the same mapping. Beside the members of the API it has `url`: the public
        address of the survey, None if the platform serves no public pages.
        """
        body = {"name": name, "metadata_mapping": metadata_mapping}
        path = f"/external/survey-campaigns/{segment(survey_campaign_id)}/links"
        link, headers = self._http.json_with_headers(path, method="POST", body=body)
        found = re.search(r'<([^>]*)>\s*;[^,]*\brel="?alternate"?', headers.get("link") or "")
        return {**link, "url": found[1] if found else None}


def _window(survey_campaign_id: Optional[str], start_date: str, end_date: str) -> Json:
    return {"survey_campaign_id": survey_campaign_id, "start_date": start_date, "end_date": end_date}


def _camel_case(**names: Any) -> Query:
    """Lists are comma-separated."""
    joined = {name: ",".join(map(str, value)) if isinstance(value, (list, tuple)) else value for name, value in names.items()}
    return {re.sub(r"_(\w)", lambda match: match[1].upper(), name): value for name, value in joined.items()}


def _items(load: Any, **query: Any) -> Iterator[Json]:
    """Every item of all pages, one page in memory at a time."""
    page, pages = 1, 1
    while page <= pages:
        loaded = load(**query, page=page)
        pages = loaded["pages"]
        yield from loaded["items"]
        page += 1
