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
AREAS = {"contact-center": "CONTACT_CENTER_URL", "survey": "SURVEY_URL"}
#: Each of the two services has a database of its own, with tokens of its own.
TOKENS = {"contact-center": "API_TOKEN", "survey": "SURVEY_TOKEN"}


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


def conversation(number):
    at = "2026-01-05T02:41:30.000Z"
    data = {"id": f"c-{number}", "createdAt": at, "updatedAt": at, "customer": {"name": "Hoa 😀"}}
    assign = {"id": f"a-{number}", "conversationId": f"c-{number}", "action": "assign", "occurredAt": at}
    agent = {"accountId": 42, "email": "mai@example.com", "name": "Mai"}
    return {"type": "conversation", "data": data}, {"type": "activity", "data": {**assign, "agent": agent}}


def campaign():
    question = {"id": 1, "type": "text", "metric_type": None, "title": "How was it?"}
    data = {"id": CAMPAIGN, "name": "After", "status": "active", "touchpoints": [], "survey_questions": [question]}
    return {"type": "survey_campaign", "data": data}


def response(number):
    times = {"sent_timestamp": "2026-01-05T20:00:00.000Z"}
    data = {"identifier": RESPONSE % number, "survey_campaign_id": CAMPAIGN, "source": "Email", **times}
    return {"type": "survey_response", "data": {**data, "user_name": "Nguyễn 😀", "answers": {"1": f"answer {number}"}}}


def removal(record_type, **key):
    return {"type": record_type, "op": "delete", "data": key}


class WithServices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        load("contact-center", *(record for number in range(130) for record in conversation(number)))
        load("survey", campaign(), *(response(number) for number in range(130)))

    def setUp(self):
        self.client, self.survey = (Client.from_environment(token=os.environ[TOKENS[area]]) for area in AREAS)


class Areas(WithServices):
    def test_pages_and_streams_hold_the_same_rows(self):
        sessions = self.client.conversation_sessions
        rows = list(sessions.list(*DAYS))
        self.assertEqual(len(rows), sessions.page(*DAYS)["total"])
        self.assertGreater(len(rows), 100)  # More than a page.
        self.assertEqual([{k: v for k, v in row.items() if k != "cursor"} for row in sessions.stream(*DAYS)], rows)
        emails = ["nobody@example.com", "nobody.else@example.com"]
        self.assertEqual(sessions.page(*DAYS, per_page=1, session_agent_emails=emails)["total"], 0)
        self.assertEqual(sessions.of_conversation("c-1"), [row for row in rows if row["conversationId"] == "c-1"])
        self.assertEqual(len(sessions.explanation("c-1")["rows"]), 1)

    def test_responses_and_their_export(self):
        responses = list(self.survey.survey_responses.list(CAMPAIGN, *DAYS))
        self.assertGreater(len(responses), 100)
        export = self.survey.survey_responses.export_rows(CAMPAIGN, *DAYS)
        self.assertEqual((export.total_count, export.is_truncated, export.start_date), (len(responses), False, "2026-01-01"))
        self.assertEqual([row["Response ID"] for row in export.rows], [found["identifier"] for found in responses])

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
        self.assertEqual(raised.exception.body["detail"][0]["loc"], ["query", "endDate"])
        self.assertEqual(raised.exception.code, "invalid_request")
        with self.assertRaises(cxp_client.UnauthorizedError) as raised:
            Client.from_environment(token="wrong").survey_campaigns.page()
        self.assertEqual((raised.exception.code, raised.exception.detail), ("unknown_token", None))


class Following(WithServices):
    def test_a_copy_follows_and_is_proven_by_digests(self):
        for area, feed, changes in [
            ("contact-center", self.client.conversation_sessions, [*conversation(200), removal("conversation", id="c-3")]),
            ("survey", self.survey.survey_responses, [response(200), removal("survey_response", identifier=RESPONSE % 3)]),
        ]:
            with self.subTest(area):
                copy, cursor = {}, None
                for _ in range(2):
                    for batch in feed.changes(cursor, once=True):
                        for item in batch.items:
                            copy[tuple(item["key"].values())] = int(item.get("digest", "0"), 16)
                        cursor = batch.cursor
                    load(area, *changes)
                    changes = []
                self.assertEqual(len(copy), 131)
                served = feed.digests("2026-01-01", "2026-01-31")
                self.assertEqual(served["change"], batch.change)
                combined = 0
                for digest in [*copy.values(), *(int(day["digest"], 16) for day in served["items"])]:
                    combined ^= digest
                self.assertEqual(combined, 0)

    def test_it_waits_for_changes(self):
        feed = self.survey.survey_responses.changes()
        while not next(feed).is_current:
            pass
        load("survey", response(300))
        self.assertEqual([item["key"]["identifier"][-3:] for item in next(feed).items], ["300"])


if __name__ == "__main__":
    unittest.main()
