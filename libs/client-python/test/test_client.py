"""The client beside a server that answers each request with the next step."""

import json
import logging
import os
import socket
import struct
import threading
import time
import traceback
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from unittest import mock
from urllib.parse import parse_qs, urlsplit

import cxp_client
from cxp_client import Client

logging.disable(logging.CRITICAL)

LINK = {"id": 1, "public_id": "p", "name": "n", "metadata_mapping": [], "created": "", "updated": ""}
DAYS = ("2026-01-05", "2026-01-06")


def answer(status, body, **headers):
    content = json.dumps(body).encode()

    def step(handler):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return step


def text(status, content, content_type):
    def step(handler):
        handler.send_response(status)
        handler.send_header("content-type", content_type)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content.encode())

    return step


def reset(handler):
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut_in_its_body(handler):
    handler.send_response(200)
    handler.send_header("content-length", "100")
    handler.end_headers()
    handler.wfile.write(b'{"items":[')
    handler.close_connection = True


def lines(*rows, rest="", cut=False):
    """NDJSON in chunks; cut without the last one."""

    def step(handler):
        handler.send_response(200)
        handler.send_header("transfer-encoding", "chunked")
        handler.end_headers()
        for piece in [json.dumps(row) + "\n" for row in rows] + ([rest] if rest else []):
            # A line may be spread over chunks.
            for part in (piece[:5], piece[5:]):
                if part:
                    handler.wfile.write(f"{len(part):x}\r\n{part}\r\n".encode())
        if not cut:
            handler.wfile.write(b"0\r\n\r\n")
        handler.close_connection = True

    return step


class Server:
    def __init__(self, *steps):
        self.requests = requests = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                requests.append(self)
                steps[min(len(requests), len(steps)) - 1](self)

            do_POST = do_GET

            def log_message(self, *_):
                pass

            def handle_one_request(self):
                try:
                    super().handle_one_request()
                except (OSError, ValueError):
                    self.close_connection = True

            def finish(self):
                try:
                    super().finish()
                except (OSError, ValueError):
                    pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    @property
    def cursors(self):
        return [parse_qs(urlsplit(request.path).query).get("cursor", [None])[0] for request in self.requests]


class WithServer(unittest.TestCase):
    def client(self, *steps, **options):
        self.server = Server(*steps)
        self.addCleanup(self.server.server.server_close)
        self.addCleanup(self.server.server.shutdown)
        url = f"http://127.0.0.1:{self.server.server.server_port}/"
        urls = {"webchat_url": url, "contact_center_url": url, "survey_url": url}
        return Client(**{"organization_id": "acme", "token": "cxp_1", **urls, "max_delay": 2, **options})

    @property
    def host(self):
        return f"127.0.0.1:{self.server.server.server_port}"

    def error_of(self, step, call=lambda client: client.survey_campaigns.page()):
        with self.assertRaises(cxp_client.ApiError) as raised:
            call(self.client(step))
        return raised.exception


class IgnoredParameters(WithServer):
    def test_are_warned_of_once(self):
        ignored = answer(200, {"items": []}, x_ignored_parameters="status")
        client = self.client(ignored, ignored, answer(200, {"items": []}))
        with mock.patch("cxp_client._http._log.warning") as warning:
            for _ in range(3):
                client.survey_campaigns.page(status="open")
        (call,) = warning.call_args_list
        self.assertRegex(call.args[0], "/external/survey-campaigns: unknown parameters are ignored: status$")


class Retries(WithServer):
    def test_a_429_a_503_and_a_connection_that_is_reset_or_lost_in_a_body(self):
        limited = answer(429, {"detail": "Rate limit exceeded"}, retry_after="1")
        unavailable = answer(503, {}, retry_after="0")
        client = self.client(limited, unavailable, reset, cut_in_its_body, answer(200, LINK))
        self.assertEqual(client.survey_links.create("c", "n"), {**LINK, "url": None})
        self.assertEqual(len(self.server.requests), 5)
        self.assertEqual(self.server.requests[0].headers["authorization"], "Bearer cxp_1")

    def test_as_often_as_it_may(self):
        client = self.client(answer(429, {}, retry_after="0"), max_retries=2)
        with self.assertRaises(cxp_client.RateLimitError):
            client.survey_campaigns.page()
        self.assertEqual(len(self.server.requests), 3)

    def test_not_if_retry_after_asks_for_more_than_it_may_wait_or_after_another_status(self):
        for status, after, kind in [
            (503, "3600", "UnavailableError"),
            (503, "9" * 5000, "UnavailableError"),
            (302, "0", "ApiError"),
            (401, "0", "UnauthorizedError"),
            (500, "0", "ApiError"),
        ]:
            for location in ("/other", "http://[::"):
                error = self.error_of(answer(status, {}, retry_after=after, location=location))
                self.assertEqual((type(error).__name__, error.status), (kind, status))
                self.assertEqual(len(self.server.requests), 1)

    def test_not_a_session_without_a_user_id_unless_it_was_refused(self):
        created = answer(201, {"sessionId": "s"})
        unavailable = answer(503, {}, retry_after="0", x_error_code="unavailable")
        of_a_proxy = answer(503, {}, retry_after="0")
        for step in (reset, cut_in_its_body, unavailable, of_a_proxy):
            client = self.client(step, created)
            with self.assertRaises((cxp_client.ConnectionLost, cxp_client.UnavailableError)):
                client.sessions.create(1)
            self.assertEqual(len(self.server.requests), 1)
        for status, code in [(429, "rate_limited"), (503, "overloaded")]:
            client = self.client(answer(status, {}, retry_after="0", x_error_code=code), created)
            self.assertEqual(client.sessions.create(1), {"sessionId": "s"})
        client = self.client(reset, unavailable, created)
        self.assertEqual(client.sessions.create(1, {"id": "u"}), {"sessionId": "s"})

    def test_not_an_answer_that_does_not_come_or_is_silent_in_its_body(self):
        release = threading.Event()
        for begin in (lambda _: None, cut_in_its_body):
            step = lambda handler: (begin(handler), release.wait())
            with self.assertRaisesRegex(cxp_client.ConnectionLost, "GET http://.*/external/survey-campaigns: .*timed out"):
                self.client(step, timeout=0.05, max_retries=0).survey_campaigns.page()
        release.set()


class Errors(WithServer):
    def test_each_has_a_class_and_says_why(self):
        items = [{"loc": ["query", "startDate"], "msg": "Field required", "type": "missing"}]
        because = ": some_code ($survey_link:create)"
        for status, body, kind, said in [
            (401, {"message": "Unauthorized", "statusCode": 401}, "UnauthorizedError", "Unauthorized" + because),
            (403, {"detail": "Permission denied"}, "ForbiddenError", "Permission denied" + because),
            (404, {"detail": {"message": "not_found"}}, "NotFoundError", "not_found"),
            (410, {"detail": "Cursor expired"}, "CursorExpiredError", "Cursor expired"),
            (413, "Too Large", "ApiError", "Too Large"),
            (422, {"message": ["a", "b"]}, "InvalidRequestError", "a; b"),
            (422, {"detail": items}, "InvalidRequestError", "Field required"),
        ]:
            headers = {"x_request_id": "r-1", "x_error_code": "some_code", "x_error_detail": "$survey_link:create"}
            error = self.error_of(answer(status, body, **headers))
            self.assertEqual((type(error).__name__, error.body), (kind, body))
            self.assertEqual(str(error), f"{status} {said} ({self.host}, request r-1)")
            self.assertEqual((error.code, error.detail, error.request_id), ("some_code", "$survey_link:create", "r-1"))

    def test_says_its_cause_by_its_code_and_shows_no_token(self):
        for status, code, message in [
            (401, "expired_token", "401 no description: the token has expired"),
            (404, "route_not_found", "404 no description: the service has no such path: is its URL right?"),
            (500, None, "500 no description"),
        ]:
            error = self.error_of(answer(status, {}, **({"x_error_code": code} if code else {})))
            self.assertEqual((error.code, str(error)), (code, f"{message} ({self.host})"))
        self.assertNotIn("Bearer", repr(self.client(reset).survey_campaigns.__dict__))

    def test_an_answer_that_is_none_of_the_api_names_the_host(self):
        page = "<!DOCTYPE html><p>Log in</p>"
        html = "a page of HTML: is the URL that of the API?"
        for step, message in [
            (text(200, page, "text/html; charset=utf-8"), f"200 without what the API answers: {html}"),
            (text(200, page, "text/plain"), f"200 without what the API answers: {html}"),
            (text(502, page, "text/html"), f"502 {html}"),
            (text(200, "x" * 600, "text/plain"), "200 without what the API answers: " + "x" * 500),
            (text(500, "[" * 900 + "]" * 900, "application/json"), "500 "),
            (answer(200, []), "200 without what the API answers: "),
            (answer(200, {"error": "?"}), "200 without what the API answers: no description"),
        ]:
            for call in (lambda client: client.survey_campaigns.page(), lambda client: list(client.survey_campaigns.list())):
                self.assertEqual(str(self.error_of(step, call)), f"{message} ({self.host})")
                self.assertEqual(len(self.server.requests), 1)
        for step in (text(200, page, "text/html"), lines({"error": "?"})):
            for call in (
                lambda client: list(client.conversation_sessions.stream(*DAYS)),
                lambda client: list(client.conversation_sessions.changes()),
            ):
                self.assertRegex(str(self.error_of(step, call)), "^200 without what the API answers: .* \\(127.0.0.1:")
                self.assertEqual(len(self.server.requests), 1)

    def test_each_has_no_token_and_names_the_host(self):
        for step in (reset, cut_in_its_body, text(404, "Bearer cxp_1", "text/plain"), lines({"cursor": "c"}, cut=True)):
            with self.assertRaises(cxp_client.CxpError) as raised:
                list(self.client(step, max_retries=0).conversation_sessions.stream(*DAYS))
            shown = "".join(traceback.format_exception(None, raised.exception, raised.exception.__traceback__))
            self.assertIn(self.host, str(raised.exception))
            self.assertNotIn("cxp_1", shown + repr(vars(raised.exception)))

    def test_what_can_never_be_sent_is_refused_when_the_client_is_made(self):
        token = "token has a character that no token has"
        for option, value, message in [
            *(("token", value, token) for value in ("cxp_1\n", "cxp_1\nx: y", "cxp_1\u200b", "cxp 1", "c\u00fc", "\ud800")),
            *(("organization_id", value, "organization_id is no printable ASCII text") for value in ("a\nb", "Hà Nội")),
            ("auth_type", "account\n", "auth_type is token or account"),
            *(
                ("webchat_url", value, "webchat_url is no http:// or https:// URL, or has a user, a query or a fragment")
                for value in ("localhost:1", "cxp_1", "", "ftp://a", "http://", "http://a b", "http://a:b", "http://u:cxp_1@a",
                              "http://a/?b", "http://a#b", "http://a\n", "http://[::1")
            ),
        ]:
            with self.assertRaises(cxp_client.CxpError) as raised:
                self.client(reset, **{option: value})
            self.assertEqual(str(raised.exception), message)
            self.assertEqual(self.server.requests, [])
        with self.assertRaisesRegex(cxp_client.CxpError, "^POST http://.*/links: the body can't be sent: "):
            self.client(reset).survey_links.create("c", {1, 2})
        self.assertEqual(self.server.requests, [])
        with self.assertRaisesRegex(cxp_client.CxpError, "^webchat_url is not set$"):
            self.client(reset, webchat_url=None).sessions.refresh("s")

    def test_halves_of_characters_name_nothing(self):
        self.client(answer(200, {"items": []})).conversation_sessions.of_conversation("\ud800", "\ud800")
        self.assertRegex(self.server.requests[0].path, "/%3F[?]timezone=%3F$")


class Streams(WithServer):
    def test_go_on_after_the_last_line_when_they_are_cut(self):
        row = lambda number: {"sessionIndex": number, "cursor": f"c-{number}"}
        client = self.client(
            *(lines(row(0), row(1), rest='{"sessionIndex":2,"cur', cut=True), lines(row(2), rest="{"), lines(row(3))),
            max_retries=1,
        )
        found = [line["sessionIndex"] for line in client.conversation_sessions.stream(*DAYS)]
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertEqual(self.server.cursors, [None, "c-1", "c-2"])

    def test_fail_when_they_are_cut_again_and_again(self):
        client = self.client(lines({"cursor": "c-0"}, cut=True), lines(cut=True), max_retries=1, max_delay=0.01)
        with self.assertRaises(cxp_client.ConnectionLost):
            list(client.conversation_sessions.stream(*DAYS))
        self.assertEqual(len(self.server.requests), 2)


def item(change):
    return {"op": "delete", "change": change, "key": {"identifier": f"i-{change}"}}


def line(change):
    return {**item(change), "cursor": f"c-{change}"}


def end(change):
    return {"op": "end", "change": change, "cursor": f"c-{change}"}


def in_short(batches):
    return [
        ([one["change"] for one in batch.items], batch.cursor, batch.change, batch.starts_over, batch.is_current)
        for batch in batches
    ]


EXPIRED = answer(410, {"detail": "Cursor expired"})
RESYNC = {"op": "resync", "change": 9, "reason": "schedule", "cursor": "c-9"}


class Changes(WithServer):
    def test_a_stream_and_then_pages(self):
        page = lambda items, change, more: answer(
            200, {"items": items, "change": change, "next_cursor": f"c-{change}", "has_more": more}
        )
        client = self.client(
            lines(line(1), line(2), line(3), end(5)),
            page([], 5, False),
            page([item(6)], 6, True),
            page([item(7)], 7, False),
        )
        feed = client.survey_responses.changes(batch_size=2)
        self.assertEqual(
            in_short(next(feed) for _ in range(5)),
            [
                ([1, 2], "c-2", 2, "first_reading", False),
                ([3], "c-5", 5, None, True),
                ([], "c-5", 5, None, True),
                ([6], "c-6", 6, None, False),
                ([7], "c-7", 7, None, True),
            ],
        )
        self.assertEqual(self.server.cursors, [None, "c-5", "c-5", "c-6"])

    def test_one_reading(self):
        brought_in_line, was_not = (lambda: "of digests"), (lambda: None)
        for steps, cursor, on_expired, expected, cursors in [
            # A stream without its end was cut.
            ([lines(line(1)), lines(line(2), end(2))], None, None, ([1, 2], "c-2", 2, "first_reading", True), [None, "c-1"]),
            ([EXPIRED, lines(line(9), end(9))], "old", None, ([9], "c-9", 9, "cursor_expired", True), ["old", None]),
            ([EXPIRED, lines(line(9), end(9))], "old", was_not, ([9], "c-9", 9, "cursor_expired", True), ["old", None]),
            ([EXPIRED, lines(line(9), end(9))], "old", brought_in_line, ([9], "c-9", 9, None, True), ["old", "of digests"]),
            ([lines(line(8), RESYNC, end(9)), lines(end(10))], "c-7", brought_in_line, ([], "c-10", 10, "schedule", True), ["c-7", None]),
            # A 410 to a stream that is continued before its first batch.
            (
                [lines(line(1), cut=True), EXPIRED, lines(line(9), end(9))],
                *(None, None, ([9], "c-9", 9, "cursor_expired", True), [None, "c-1", None]),
            ),
        ]:
            feed = self.client(*steps, max_delay=0.01).survey_responses.changes(cursor, once=True, on_expired=on_expired)
            self.assertEqual(in_short(feed), [expected])
            self.assertEqual(self.server.cursors, cursors)

    def test_start_over_each_time_a_cursor_expires(self):
        client = self.client(
            *(lines(line(1), end(1)), EXPIRED, lines(line(2), end(2)), EXPIRED),
            *(lines(RESYNC, end(3)), lines(line(4), end(4)), EXPIRED, lines(line(5), end(5))),
        )
        feed = client.conversation_sessions.changes()
        self.assertEqual(
            [(batch.change, batch.starts_over) for batch in (next(feed) for _ in range(4))],
            [(1, "first_reading"), (2, "cursor_expired"), (4, "schedule"), (5, "cursor_expired")],
        )

    def test_one_error_if_each_reading_starts_over(self):
        for steps in ([lines(RESYNC, end(9))] * 9, [lines(line(1), cut=True), EXPIRED] * 9):
            client = self.client(*steps, max_delay=0.01)
            with mock.patch("cxp_client._feed._START_DELAY_SECONDS", 0.001):
                with self.assertRaisesRegex(cxp_client.ConnectionLost, r"starts over again and again \((schedule|cursor_expired)\)$"):
                    list(client.conversation_sessions.changes(once=True))

    def test_a_service_that_does_not_wait_is_asked_once_a_second(self):
        nothing = answer(200, {"items": [], "change": 1, "nextCursor": "c-1", "hasMore": False})
        feed = self.client(lines(end(1)), *[nothing] * 99).conversation_sessions.changes()
        until = time.monotonic() + 2
        while time.monotonic() < until:
            next(feed)
        self.assertLess(len(self.server.requests), 6)

    def test_fail_after_a_410_to_a_request_without_a_cursor(self):
        client = self.client(EXPIRED)
        with self.assertRaises(cxp_client.CursorExpiredError):
            list(client.survey_responses.changes("old", once=True))
        self.assertEqual(self.server.cursors, ["old", None])

    def test_digests_name_the_schedule_of_the_business_hours(self):
        digests = {"change": 1, "cursor": "c-1", "items": []}
        client = self.client(answer(200, digests, x_human_schedule="s-1"), answer(200, digests))
        for schedule in ("s-1", None):
            found = client.conversation_sessions.digests("2026-01-05", "2026-01-05")
            self.assertEqual(found, {**digests, "schedule": schedule})


class Environment(unittest.TestCase):
    VARIABLES = {"ORGANIZATION_ID": "acme", "API_TOKEN": "cxp_1"}

    def test_is_enough_for_a_client(self):
        with mock.patch.dict(os.environ, self.VARIABLES, clear=True):
            self.assertEqual(Client.from_environment().organization_id, "acme")
            self.assertEqual(Client.from_environment(organization_id="other").organization_id, "other")

    def test_the_error_names_what_is_not_set(self):
        for name in self.VARIABLES:
            with mock.patch.dict(os.environ, {**self.VARIABLES, name: ""}, clear=True):
                with self.assertRaisesRegex(cxp_client.CxpError, f"^{name} is not set: set this environment variable$"):
                    Client.from_environment()
        with self.assertRaisesRegex(cxp_client.CxpError, "token"):
            Client(organization_id="acme", token="")


if __name__ == "__main__":
    unittest.main()
