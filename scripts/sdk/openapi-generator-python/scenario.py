"""Creates, replays, reads and lists a link, and reads what a later version may send."""

import json
import os
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

import paylinks


def client(url: str) -> paylinks.ApiClient:
    configuration = paylinks.Configuration(host=url, access_token=os.environ["PAYLINKS_API_KEY"])
    return paylinks.ApiClient(configuration)


links = paylinks.PaymentLinksApi(client(os.environ["PAYLINKS_BASE_URL"]))
reference = f"sdk-{uuid.uuid4()}"
request = paylinks.CreatePaymentLinkRequest(
    amount=125.5,
    description="Cleaning",
    patient=paylinks.CreatePaymentLinkPatient(first_name="Ada", last_name="Byron"),
    location_id=os.environ["PAYLINKS_LOCATION_ID"],
    external_reference=reference,
)
link = links.create_payment_link(reference, request)
assert link.status == paylinks.PaymentLinkStatus.ACTIVE and link.amount == 125.5 and link.paid_at is None
replay = links.create_payment_link_with_http_info(reference, request)
assert replay.data.id == link.id and replay.headers["Idempotency-Replayed"] == "true"
assert links.get_payment_link(link.id) == link

# Dates as this SDK writes them, with an offset that has no colon.
since = datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=1)
page = links.list_payment_links(status=paylinks.PaymentLinkStatus.ACTIVE, external_reference=reference, created_after=since)
assert [found.id for found in page.data] == [link.id] and page.total_count == 1
assert links.cancel_payment_link(link.id).status == paylinks.PaymentLinkStatus.CANCELLED

try:
    links.get_payment_link("plink_nobody")
    raise AssertionError("an unknown link was found")
except paylinks.exceptions.NotFoundException as refusal:
    assert refusal.data.error.code == "not_found" and refusal.data.error.request_id

future = paylinks.PaymentLinksApi(client(os.environ["PAYLINKS_FUTURE_URL"]))
later = future.get_payment_link(link.id)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
try:
    future.cancel_payment_link(link.id)
    raise AssertionError("a refusal was taken for a success")
except paylinks.exceptions.ConflictException as refusal:
    assert refusal.data.error.code == "code_to_come"

samples = Path(os.environ["PAYLINKS_SAMPLES"])
known = paylinks.WebhookEvent.from_json((samples / "known.json").read_text())
assert known.type == "payment_link.paid" and known.data.payment_link.id.startswith("plink_")
typed = paylinks.PaymentLinkPaidEvent.from_json((samples / "known.json").read_text())
assert typed.data.payment_link.transaction.status == "succeeded"
unknown = paylinks.WebhookEvent.from_json((samples / "unknown-type.json").read_text())
assert unknown.type == "payment_link.admired" and unknown.data.payment_link is None
values = paylinks.WebhookEvent.from_json((samples / "unknown-values.json").read_text())
assert values.data.payment_link.source == "kiosk" and values.data.context == {"triggeredBy": "kiosk"}
print("ok")
