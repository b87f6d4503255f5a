"""The client and its follower beside the real services: their URLs and the caller are in the environment."""

import json
import logging
import os
import sqlite3
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

import cxp_client
from cxp_client import Client, SqliteFollower

logging.disable(logging.CRITICAL)

DAYS = ("2026-01-01", "2026-01-31")
RESPONSE = "00000000-0000-4000-8000-%012d"
CAMPAIGN = "00000000-0000-4000-8000-000000002000"
#: What canonical JSON is hard for.
HARD_TO_WRITE = {"\ufb03": 1e-7, "😀": 1e21, "€": [0.1, -5e-324, 1e20, 123456789012345680000], "z": {"b": "\u2028", "a": None}}
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


class WithServices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        load("contact-center", *(record for number in range(130) for record in conversation(number)), ticket(7))
        load("survey", campaign(), *(response(number) for number in range(130)))

    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.file = os.path.join(directory.name, "copy.sqlite")
        self.client, self.survey = map(client_of, AREAS)

    def follower(self, area):
        follower = SqliteFollower(client_of(area), area, self.file)
        self.addCleanup(follower.close)
        return follower


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

    def test_responses_and_their_export(self):
        responses = list(self.survey.survey_responses.list(CAMPAIGN, *DAYS))
        self.assertGreater(len(responses), 100)
        export = self.survey.survey_responses.export_text(CAMPAIGN, *DAYS)
        self.assertEqual((export.total_count, export.is_truncated, export.start_date), (len(responses), False, "2026-01-01"))
        titles, *cells = export.text.splitlines()
        exported = self.survey.survey_responses.export_rows(CAMPAIGN, *DAYS)
        self.assertEqual(exported[:3], export[:3])
        rows = exported.rows
        self.assertEqual((len(cells), len(rows)), (len(responses), len(responses)))
        self.assertEqual(titles.split("\t"), list(rows[0]))

    def test_campaigns_and_links(self):
        self.assertEqual([found["id"] for found in self.survey.survey_campaigns.list(statuses=["active"])], [CAMPAIGN])
        link = self.survey.survey_links.create(CAMPAIGN, "Front door")
        self.assertEqual((link["name"], link["url"]), ("Front door", None))
        results = self.survey.survey_links.create_batch(CAMPAIGN, [{"name": "Till 1"}, {"name": ""}])
        self.assertEqual([result["status"] for result in results], [200, 422])

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
    def test_a_copy_is_in_step_and_its_digests_are_those_of_the_service(self):
        for area, changes in [
            ("contact-center", [*conversation(200), {"type": "conversation", "op": "delete", "data": {"id": "c-3"}}]),
            ("survey", [response(200), {"type": "survey_response", "op": "delete", "data": {"identifier": RESPONSE % 3}}]),
        ]:
            with self.subTest(area), SqliteFollower(client_of(area), area, self.file) as follower:
                summary = follower.run(once=True, verify=True)
                self.assertGreater(summary.rows, 100)
                self.assertEqual(summary.mended, [])
                self.assertGreater(summary.verified, 10)
                for item in follower.items():
                    self.assertEqual(cxp_client.item_digest(item), item["digest"])
                load(area, *changes)
                again = follower.run(once=True, verify=True)
                self.assertEqual((again.rows, again.mended), (summary.rows, []))
                self.assertGreater(again.change, summary.change)

    def test_it_waits_for_changes(self):
        feed = self.survey.survey_responses.changes()
        while not next(feed).is_current:
            pass
        load("survey", response(300))
        self.assertEqual([item["key"]["identifier"][-3:] for item in next(feed).items], ["300"])

    def test_verification_finds_and_mends_what_was_damaged(self):
        damages = [
            "UPDATE survey_response SET \"row\" = json_set(\"row\", '$.user_name', 'x') WHERE rowid = (SELECT min(rowid) FROM survey_response)",
            "UPDATE survey_response SET digest = '0000000000000000' WHERE rowid = (SELECT min(rowid) FROM survey_response)",
            "DELETE FROM survey_response WHERE rowid = (SELECT min(rowid) FROM survey_response)",
        ]
        follower = self.follower("survey")
        rows = follower.run(once=True).rows
        for damage in damages:
            with sqlite3.connect(self.file) as writer:
                writer.execute(damage)
            writer.close()
            summary = follower.run(once=True, verify=True)
            self.assertEqual((summary.rows, len(summary.mended)), (rows, 1))
            self.assertTrue(summary.mended[0].startswith(f"{CAMPAIGN} 2026-01-"))

    def test_verification_leaves_out_a_day_that_changes_at_each_look(self):
        follower = self.follower("survey")
        follower.run(once=True)
        served_digests = follower._served_digests
        looks = []

        def digests_then_a_change():
            served = served_digests()
            looks.append(1)
            load("survey", response(7, user_name=f"Look {len(looks)}"))
            return served

        follower._served_digests = digests_then_a_change
        logging.disable(logging.NOTSET)
        self.addCleanup(logging.disable, logging.CRITICAL)
        with self.assertLogs("cxp_client", "WARNING") as logs:
            self.assertEqual(follower.run(once=True, verify=True).mended, [])
        self.assertEqual(len(logs.output), 1)
        self.assertRegex(logs.output[0], f"not compared, because they change: {CAMPAIGN} 2026-01-..$")

    def test_a_second_follower_of_a_file_and_another_organization_are_refused(self):
        self.follower("survey").run(once=True)
        for arguments in (["--area", "survey"], ["--area", "contact-center"]):
            refused = self.command("follow", *arguments, "--to", self.file, "--once")
            self.assertEqual((refused.returncode, refused.stderr), (1, f"follow: another follower writes to {self.file}\n"))
        self.doCleanups()
        self.setUp()
        self.follower("survey").close()
        refused = self.command("follow", "--area", "survey", "--to", self.file, "--organization", "another")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("is a copy of organization " + os.environ["ORGANIZATION_ID"], refused.stderr)

    def test_the_command(self):
        done = self.command("follow", "--area", "survey", "--to", self.file, "--once", "--verify", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["mended"], [])
        self.assertEqual(self.command("follow", "--area", "survey").returncode, 2)
        self.assertEqual(self.command("follow", "--area", "survey", "--to", self.file, ORGANIZATION_ID="").returncode, 2)

    def command(self, *arguments, **variables):
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "cxp_client", *arguments],
            env={**os.environ, "API_TOKEN": os.environ["SURVEY_TOKEN"], **variables},
            capture_output=True,
            text=True,
        )


if __name__ == "__main__":
    unittest.main()
