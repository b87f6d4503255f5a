"""`python -m cxp_client follow`"""

from __future__ import annotations

import argparse
import json
import logging
import sqlite3
import sys

from ._client import Client
from ._errors import CxpError
from ._follower import AREAS, SqliteFollower

#: A follower waits for a service that is away; with `--once` it gives up.
_ENDLESS_RETRIES = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m cxp_client")
    follow = parser.add_subparsers(required=True, metavar="command").add_parser(
        "follow", help="keep a copy of the rows of an area in step, in a SQLite file"
    )
    follow.add_argument("--area", required=True, choices=list(AREAS), help="what is followed")
    follow.add_argument("--to", required=True, metavar="FILE", help="the SQLite file; it is made if it is missing")
    follow.add_argument("--organization", help="the organization of the token; else ORGANIZATION_ID")
    follow.add_argument("--url", help="base URL of the area; else CONTACT_CENTER_URL or SURVEY_URL")
    follow.add_argument("--token", help="API token; else API_TOKEN")
    follow.add_argument("--once", action="store_true", help="end when there is nothing more")
    follow.add_argument("--verify", action="store_true", help="compare digests when up to date, and read again what differs")
    follow.add_argument("--json", action="store_true", help="with --once: print one JSON object at the end")
    options = parser.parse_args()

    logging.basicConfig(format="%(message)s", level=logging.INFO, stream=sys.stderr)
    url_name = "contact_center_url" if options.area == "contact-center" else "survey_url"
    given = {"organization_id": options.organization, "token": options.token, url_name: options.url}
    try:
        client = Client.from_environment(**given, max_retries=5 if options.once else _ENDLESS_RETRIES)
    except TypeError:
        follow.error("--organization and --token, or ORGANIZATION_ID and API_TOKEN, are needed")
    try:
        with SqliteFollower(client, options.area, options.to) as follower:
            summary = follower.run(once=options.once, verify=options.verify)
    except (CxpError, sqlite3.Error, OSError) as error:
        print(f"follow: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    if options.json:
        print(json.dumps(summary._asdict()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
