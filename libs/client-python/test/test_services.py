"""The client beside the real services: their URLs and the caller are in the environment."""

import json
import logging
import os
import unittest
import urllib.request

import cxp_client
from cxp_client import Client

logging.disable(logging.CRITICAL)

DAYS = ("2026-01-01", "2026-01-31")
RESPONSE = "00000000-0000-4000-8000-%012d"
CAMPAIGN = "00000000-0000-4000-8000-000000002000"
#: Numbers and texts of which a copy must lose nothing.
HARD_TO_WRITE = {"\ufb03": 1e-7, "😀": -1.5, "€": [0.1, -5e-324, 9007199254740991], "z": {"b": "\u2028", "a": None}}
AREAS = {"contact-center": "CONTACT_CENTER_URL", "survey": "SURVEY_URL"}


TOKENS = {"contact-center": "API_TOKEN", "survey": "SURVEY_TOKEN"}


def client_of(area):
    """Each of the two services has a database of its own, with tokens of its own."""
    return Client.from_environment(token=os.environ[TOKENS[area]])


def load(area, *records):
    headers = {
        "authorization": "Bearer " + os.environ[TOKENS[area]],
        "organization-id": os.environ["ORGANIZATION_ID"],
        "auth-type": "token",
        "content-type": "application/x-ndjson",
    }
    body = "\n".join(map(json.dumps, records)).encode()
    request = urllib.request.Request(os.environ[AREAS[area]] + "/internal/records", body, headers)
    urllib.request.urlopen(request).close()


def conversation(number, **fields):
    """On days that are others in other timezones."""
    updated = f"2026-01-{5 + number % 20:02}T{number % 24:02}:41:30.000Z"
    data = {"id": f"c-{number}", "createdAt": updated, "updatedAt": updated, "customer": {"name": "Hoa 😀"}, **fields}
    assign = {"id": f"a-{number}", "conversationId": f"c-{number}", "action": "assign", "occurredAt": updated}
    agent = {"accountId": 42, "email": "mai@example.com", "name": "Mai"}
    return {"type": "conversation", "data": data}, {"type": "activity", "data": {**assign, "agent": agent}}


def ticket(number):
    fields = {"10": "\u2028 😀", "9": "€"}
    at = "2026-01-05T02:41:30.000Z"
    data = {"id": number, "conversationId": "c-1", "subject": '"\\\u0007\x7f', "customFields": fields}
    return {"type": "ticket", "data": {**data, "assigneeAccountId": 42, "createdAt": at, "updatedAt": at}}


def campaign(status="active"):
    question = {"id": 1, "type": "text", "metric_type": None, "title": "How was it?"}
    data = {"id": CAMPAIGN, "name": "After", "status": status, "touchpoints": [], "survey_questions": [question]}
    return {"type": "survey_campaign", "data": data}


def response(number, **fields):
    """Sent on a day that is the next one in UTC+7."""
    data = {
        "identifier": RESPONSE % number,
        "survey_campaign_id": CAMPAIGN,
        "sent_timestamp": f"2026-01-{5 + number % 20:02}T20:00:00.000Z",
        "source": "Email",
        "user_name": "Nguyễn 😀",
        "answers": {"1": f"answer {number}", **HARD_TO_WRITE},
        **fields,
    }
    return {"type": "survey_response", "data": data}


#: A date that systems write for "never": in UTC+7 it would be of the year 10000.
SENTINEL = response(999, sent_timestamp="9999-12-31T23:59:59.000Z")


def removal(record_type, **key):
    return {"type": record_type, "op": "delete", "data": key}


class WithServices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        load("contact-center", *(record for number in range(130) for record in conversation(number)), ticket(7))
        load("survey", campaign(), *(response(number) for number in range(130)), SENTINEL)

    def setUp(self):
        self.client, self.survey = map(client_of, AREAS)


class Areas(WithServices):
    def test_pages_and_streams_hold_the_same_rows(self):
        rows = list(self.client.conversation_sessions.list(*DAYS))
        self.assertEqual(len(rows), self.client.conversation_sessions.page(*DAYS)["total"])
        self.assertGreater(len(rows), 100)  # More than a page.
        streamed = [{k: v for k, v in row.items() if k != "cursor"} for row in self.client.conversation_sessions.stream(*DAYS)]
        self.assertEqual(streamed, rows)
        emails = ["nobody@example.com", "nobody.else@example.com"]
        self.assertEqual(self.client.conversation_sessions.page(*DAYS, per_page=1, session_agent_emails=emails)["total"], 0)
        self.assertEqual(len(self.client.conversation_sessions.of_conversation("c-1")), 2)
        explained = self.client.conversation_sessions.explanation("c-1")
        self.assertEqual(len(explained["rows"]), 2)

    def test_responses_and_their_export(self):
        responses = list(self.survey.survey_responses.list(CAMPAIGN, *DAYS))
        self.assertGreater(len(responses), 100)
        export = self.survey.survey_responses.export_rows(CAMPAIGN, *DAYS)
        self.assertEqual((export.total_count, export.is_truncated, export.start_date), (len(responses), False, "2026-01-01"))
        self.assertEqual(len(export.rows), len(responses))
        self.assertEqual(list(export.rows[0])[0], "Response ID")

    def test_a_response_of_the_year_9999_counts_to_its_last_day(self):
        last = list(self.survey.survey_responses.list(CAMPAIGN, "9999-12-31", "9999-12-31"))
        self.assertEqual([found["identifier"] for found in last], [RESPONSE % 999])
        digests = self.survey.survey_responses.digests("9999-12-31", "9999-12-31")
        self.assertEqual([day["date"] for day in digests["items"]], ["9999-12-31"])

    def test_campaigns_and_links(self):
        self.assertEqual([found["id"] for found in self.survey.survey_campaigns.list(statuses=["active"])], [CAMPAIGN])
        link = self.survey.survey_links.create(CAMPAIGN, "Front door")
        self.assertEqual((link["name"], link["url"]), ("Front door", None))

    def test_errors(self):
        with self.assertRaises(cxp_client.NotFoundError) as raised:
            self.client.conversation_sessions.of_conversation("no/such thing")
        self.assertIsNotNone(raised.exception.request_id)
        with self.assertRaises(cxp_client.InvalidRequestError) as raised:
            self.client.conversation_sessions.page("2026-01-01", "yesterday")
        self.assertEqual(raised.exception.items[0]["loc"], ["query", "endDate"])
        self.assertEqual(raised.exception.code, "invalid_request")
        with self.assertRaises(cxp_client.UnauthorizedError) as raised:
            Client.from_environment(token="wrong").survey_campaigns.page()
        self.assertEqual((raised.exception.code, raised.exception.detail), ("unknown_token", None))


class Following(WithServices):
    def test_a_copy_that_follows_has_the_digests_of_the_service(self):
        for area, feed, changes in [
            ("contact-center", self.client.conversation_sessions, [*conversation(200), removal("conversation", id="c-3")]),
            ("survey", self.survey.survey_responses, [response(200), removal("survey_response", identifier=RESPONSE % 3)]),
        ]:
            with self.subTest(area):
                copy = {}
                cursor, change = self.read(feed, copy)
                self.assertGreater(len(copy), 100)
                load(area, *changes)
                rows = len(copy)
                _, later = self.read(feed, copy, cursor)
                self.assertGreater(later, change)
                self.assertEqual(len(copy), rows)
                combined = 0
                for item in copy.values():
                    combined ^= int(item["digest"], 16)
                served = feed.digests("0001-01-01", "9999-12-31")
                self.assertEqual(served["change"], later)
                for group in served["items"]:
                    combined ^= int(group["digest"], 16)
                self.assertEqual(combined, 0)

    def read(self, feed, copy, cursor=None):
        for batch in feed.changes(cursor, once=True):
            for item in batch.items:
                key = tuple(item["key"].values())
                if item["op"] == "upsert":
                    copy[key] = item
                else:
                    copy.pop(key, None)
            cursor = batch.cursor
        return cursor, batch.change

    def test_it_waits_for_changes(self):
        feed = self.survey.survey_responses.changes()
        while not next(feed).is_current:
            pass
        load("survey", response(300))
        self.assertEqual([item["key"]["identifier"][-3:] for item in next(feed).items], ["300"])


if __name__ == "__main__":
    unittest.main()
