"""The client beside a server that answers each request with the next step."""

import base64
import email.message
import hashlib
import hmac
import json
import logging
import os
import socket
import struct
import threading
import time
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
        return Client(organization_id="acme", token="cxp_1", **{**urls, "max_delay": 2, **options})

    def error_of(self, step):
        with self.assertRaises(cxp_client.ApiError) as raised:
            self.client(step).survey_campaigns.page()
        return raised.exception


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
            (302, "0", "ApiError"),
            (401, "0", "UnauthorizedError"),
            (500, "0", "ApiError"),
        ]:
            error = self.error_of(answer(status, {}, retry_after=after, location="/other"))
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
        for status, body, kind, text in [
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
            self.assertEqual(str(error), f"{status} {text} (request r-1)")
            self.assertEqual((error.code, error.detail, error.request_id), ("some_code", "$survey_link:create", "r-1"))

    def test_says_its_cause_by_its_code_and_shows_no_token(self):
        for status, code, message in [
            (401, "expired_token", "401 no description: the token has expired"),
            (404, "route_not_found", "404 no description: the service has no such path: is its URL right?"),
            (500, None, "500 no description"),
        ]:
            error = self.error_of(answer(status, {}, **({"x_error_code": code} if code else {})))
            self.assertEqual((error.code, str(error)), (code, message))
        self.assertNotIn("Bearer", repr(self.client(reset).survey_campaigns.__dict__))

    def test_names_the_base_url_that_is_missing_or_wrong(self):
        for url, message in [(None, "is not set"), ("localhost:1", "is no http:// or https:// URL: localhost:1")]:
            with self.assertRaisesRegex(cxp_client.CxpError, f"^webchat_url {message}$"):
                self.client(reset, webchat_url=url).sessions.refresh("s")


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
            in_short(next(feed) for _ in range(4)),
            [
                ([1, 2], "c-2", 2, "first_reading", False),
                ([3], "c-5", 5, None, True),
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


class Hints(unittest.TestCase):
    SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
    BODY = b'{"type":"survey-response-changes","data":{"organizationId":"demo","change":1043}}'

    def headers(self, body=BODY, secret=SECRET, at=None, **others):
        timestamp = str(int(time.time() if at is None else at))
        key = base64.b64decode(secret[len("whsec_") :])
        digest = hmac.new(key, b"msg_1." + timestamp.encode() + b"." + body, hashlib.sha256).digest()
        signature = "v1," + base64.b64encode(digest).decode()
        headers = {"Webhook-Id": "msg_1", "webhook-timestamp": timestamp, "WEBHOOK-SIGNATURE": "v1a,x v1,x " + signature}
        return {**headers, **others}

    def test_reads_what_is_signed(self):
        headers = self.headers()
        message = email.message.Message()
        for name, value in headers.items():
            message[name] = value
        for given in (headers, list(headers.items()), message, {name.lower(): value for name, value in headers.items()}):
            self.assertEqual(cxp_client.verify_hint(given, self.BODY, self.SECRET)["data"]["change"], 1043)
        self.assertEqual(cxp_client.verify_hint(headers, self.BODY.decode(), self.SECRET + "\n")["data"]["change"], 1043)

    def test_each_refusal_names_its_reason(self):
        other = "whsec_AAAQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="
        now = time.time()
        unsigned = "the body, as it was passed, is not signed with the secret"
        for headers, reason in [
            ({}, "the header webhook-id is missing"),
            ({"webhook-id": "msg_1"}, "the header webhook-timestamp is missing"),
            (self.headers(**{"WEBHOOK-SIGNATURE": " "}), "the header webhook-signature is missing"),
            (self.headers(**{"WEBHOOK-SIGNATURE": "v1a,x"}), "webhook-signature holds no signature of version v1"),
            (self.headers(**{"webhook-timestamp": "now"}), "webhook-timestamp is no time in Unix seconds"),
            (self.headers(at=now - 400), "the hint is older than 300 s"),
            (self.headers(at=now + 400), "the hint is of a time to come: compare the clocks"),
            (self.headers(b"{}"), unsigned),
            (self.headers(secret=other), unsigned),
            (self.headers(**{"Webhook-Id": "msg_2"}), unsigned),
            (self.headers(**{"WEBHOOK-SIGNATURE": "v1,§"}), unsigned),
        ]:
            with self.assertRaises(cxp_client.InvalidHintError) as raised:
                cxp_client.verify_hint(headers, self.BODY, self.SECRET)
            self.assertEqual(str(raised.exception), reason)

    def test_has_no_use_for_a_secret_that_is_none(self):
        for secret in ("", "whsec_", "whsec_§"):
            with self.assertRaises(ValueError):
                cxp_client.verify_hint(self.headers(), self.BODY, secret)


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
