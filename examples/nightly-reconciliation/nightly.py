"""The nightly job: compares the ledger with the API, and repairs an outage by a replay. See README.md.

Exit status: 0 when the webhooks brought everything, perhaps by the replay. 1 when the ledger had to be corrected
without a webhook, so that a person should look at the report. 2 when the job could not be done.
"""

import argparse
import os
import sys
import time
from datetime import datetime, timedelta, timezone

from ledger import Ledger, state_of
from paylinks import NO_ANSWER, ApiError, Paylinks

# A replay reaches 30 days back. The hour is for clocks that differ.
LONGEST_REPLAY = timedelta(days=30) - timedelta(hours=1)


def timestamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def changed_links(api, ledger, endpoint_id, since, now):
    """Yields every link that may have changed since then, as it is now.

    The API has no filter by the time of a change, so three lists are read one after the other.
    """
    seen = set()

    def unseen(links):
        for link in links:
            if link["id"] not in seen:
                seen.add(link["id"])
                yield link

    # Payments, with their refunds.
    yield from unseen(api.list("/payment-links", status="paid", paidAfter=since))
    # New links, and those whose bank debit was on its way at the last comparison. The end of the window is fixed, so
    # that links of this moment do not move the pages.
    created_after = min(since, ledger.oldest_pending() or since)
    yield from unseen(api.list("/payment-links", createdAfter=created_after, createdBefore=now))
    # Older links with an event since then: expired, cancelled, refunded or disputed. A delivery exists even if the
    # endpoint was away or disabled.
    for delivery in api.list("/webhook-deliveries", endpointId=endpoint_id, since=since):
        link_id = delivery["paymentLinkId"]
        if link_id is not None and link_id not in seen:
            seen.add(link_id)
            yield api.get(f"/payment-links/{link_id}")


def differences(ledger, links):
    """Compares links with the ledger. Yields those that differ, each with a line for the report."""
    for link in links:
        known = ledger.link(link["id"])
        # No event reports a creation, so an active link need not be in the ledger.
        if link["status"] == "active" and known is None:
            continue
        expected = state_of(link)
        if link["test"]:
            # A test link has its simulated transaction in events only.
            del expected["transaction_status"]
        name = f"{link['id']} ({link['externalReference']})"
        if known is None:
            yield link, f"{name}: not in the ledger, should be {link['status']}"
            continue
        wrong = [f"{key} is {known[key]}, should be {value}" for key, value in expected.items() if known[key] != value]
        if wrong:
            yield link, f"{name}: {'; '.join(wrong)}"


def enable(api, endpoint_id):
    """Enables the endpoint again if a long outage has disabled it. Returns True if it was disabled."""
    if api.get(f"/webhook-endpoints/{endpoint_id}")["status"] == "enabled":
        return False
    api.update(f"/webhook-endpoints/{endpoint_id}", {"enabled": True})
    print("the endpoint was disabled; it is enabled again")
    return True


def replay(api, endpoint_id, since):
    """Asks for what the endpoint missed. Returns False if that is not possible now."""
    try:
        result = api.replay(endpoint_id, since)
    except ApiError as error:
        if error.code != "replay_cooldown":
            raise
        print(f"a replay was made a short time ago; the next one is possible in {error.retry_after_seconds} seconds")
        return False
    print(f"replayed: {result['requeuedCount']} sent again, {result['freshCount']} made afresh")
    if result["capped"]:
        print("the replay was capped at 1,000 events; run this job again in ten minutes")
    return True


def wait_for_deliveries(api, endpoint_id, since, limit_seconds):
    """Waits until no delivery is under way any more, or the time is over."""
    deadline = time.monotonic() + limit_seconds
    while time.monotonic() < deadline:
        under_way = [
            api.get("/webhook-deliveries", endpointId=endpoint_id, since=since, status=status, pageSize=1)["totalCount"]
            for status in ("pending", "retrying")
        ]
        if sum(under_way) == 0:
            return
        time.sleep(1)


def main():
    parser = argparse.ArgumentParser(description="Compares the ledger with the API and repairs outages.")
    parser.add_argument("--days", type=int, default=7, help="how far to look back; bank debits take up to a week")
    parser.add_argument("--wait-seconds", type=int, default=120, help="how long to wait for replayed webhooks")
    arguments = parser.parse_args()
    endpoint_id = os.environ["PAYLINKS_ENDPOINT_ID"]
    api = Paylinks(os.environ["PAYLINKS_BASE_URL"], os.environ["PAYLINKS_API_KEY"])
    ledger = Ledger(os.environ.get("LEDGER_FILE", "ledger.sqlite"))

    now = datetime.now(timezone.utc)
    since = timestamp(now - timedelta(days=arguments.days))
    replay_since = timestamp(now - min(timedelta(days=arguments.days), LONGEST_REPLAY))

    def compare():
        read_at = timestamp(datetime.now(timezone.utc))
        links = changed_links(api, ledger, endpoint_id, since, read_at)
        return [(link, line, read_at) for link, line in differences(ledger, links)]

    was_disabled = enable(api, endpoint_id)
    found = compare()
    for _, line, _ in found:
        print("difference:", line)
    if (found or was_disabled) and replay(api, endpoint_id, replay_since):
        wait_for_deliveries(api, endpoint_id, replay_since, arguments.wait_seconds)
        found = compare()
    for link, line, read_at in found:
        # No webhook will come for it. An example is a refund that failed, of which there is no event.
        print("taken from the API:", line)
        ledger.adopt(link, read_at)
    print("the webhooks have brought everything" if not found else f"{len(found)} links were taken from the API")
    return 0 if not found else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (ApiError, *NO_ANSWER) as error:
        print(f"the job could not be done: {error}", file=sys.stderr)
        sys.exit(2)
