"""Creates, replays, lists and pays links, reads deliveries, verifies a webhook, and reads what a later version may send."""

import json
import os
import sys
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

from paylinks import AuthenticatedClient
from paylinks.api.payment_links import cancel_payment_link, create_payment_link, get_payment_link, list_payment_links
from paylinks.api.payment_links import simulate_payment_link
from paylinks.api.test_helpers import simulate_refund
from paylinks.api.webhook_deliveries import get_webhook_delivery, list_webhook_deliveries
from paylinks.api.webhook_endpoints import create_webhook_endpoint, delete_webhook_endpoint
from paylinks.models import ApiError, CreatePaymentLinkPatient, CreatePaymentLinkRequest, PaymentLinkPaidEvent
from paylinks.models import CreateWebhookEndpointRequest, PaymentLinkStatus, SimulatePaymentLinkRequest
from paylinks.models import SimulatePaymentLinkRequestOutcome, SimulateRefundRequest, WebhookDeliveryStatus, WebhookEvent
from paylinks.types import UNSET


def client(url: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=url, token=os.environ["PAYLINKS_API_KEY"])


service = client(os.environ["PAYLINKS_BASE_URL"])
reference = f"sdk-{uuid.uuid4()}"
request = CreatePaymentLinkRequest(
    amount=125.5,
    description="Cleaning",
    patient=CreatePaymentLinkPatient(first_name="Ada", last_name="Byron"),
    location_id=os.environ["PAYLINKS_LOCATION_ID"],
    external_reference=reference,
)
link = create_payment_link.sync(client=service, body=request, idempotency_key=reference)
assert link.status == PaymentLinkStatus.ACTIVE and link.amount == 125.5 and link.paid_at is None
replay = create_payment_link.sync_detailed(client=service, body=request, idempotency_key=reference)
assert replay.parsed.id == link.id and replay.headers["Idempotency-Replayed"] == "true"
assert get_payment_link.sync(link.id, client=service) == link

since = datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=1)
page = list_payment_links.sync(
    client=service, status=PaymentLinkStatus.ACTIVE, external_reference=reference, created_after=since
)
assert [found.id for found in page.data] == [link.id] and page.total_count == 1
ids = [link.id]
for key in ("a", "b"):
    ids.append(create_payment_link.sync(client=service, body=request, idempotency_key=f"{reference}-{key}").id)
listed, number = [], 1
while True:
    page = list_payment_links.sync(client=service, external_reference=reference, page=number, page_size=2)
    listed += [found.id for found in page.data]
    number += 1
    if not page.has_more:
        break
assert sorted(listed) == sorted(ids)

endpoint = create_webhook_endpoint.sync(
    client=service,
    body=CreateWebhookEndpointRequest(url="https://example.com/webhooks", enabled_events=["payment_link.paid"]),
)
try:
    outcome = SimulatePaymentLinkRequest(outcome=SimulatePaymentLinkRequestOutcome.PAID)
    assert simulate_payment_link.sync(ids[1], client=service, body=outcome).status == PaymentLinkStatus.PAID
    refunded = simulate_refund.sync(ids[1], client=service, body=SimulateRefundRequest(amount=25.5))
    assert [refund.amount for refund in refunded.refunds] == [25.5]
    page = list_payment_links.sync(
        client=service,
        status=PaymentLinkStatus.PAID,
        external_reference=reference,
        location_id=os.environ["PAYLINKS_LOCATION_ID"],
        created_after=since,
        created_before=since + timedelta(hours=2),
        paid_after=since,
        page=1,
        page_size=1,
    )
    assert [found.id for found in page.data] == [ids[1]] and page.total_count == 1 and not page.has_more
    deliveries = list_webhook_deliveries.sync(
        client=service,
        endpoint_id=endpoint.id,
        payment_link_id=ids[1],
        type_="payment_link.paid",
        status=WebhookDeliveryStatus.PENDING,
        since=since,
    )
    assert deliveries.total_count == 1
    delivery = get_webhook_delivery.sync(deliveries.data[0].id, client=service)
    event = WebhookEvent.from_dict(json.loads(delivery.payload))
    assert (event.id, event.type_) == (delivery.id, "payment_link.paid") and event.data.payment_link.id == ids[1]
finally:
    delete_webhook_endpoint.sync_detailed(endpoint.id, client=service)

assert cancel_payment_link.sync(link.id, client=service).status == PaymentLinkStatus.CANCELLED

refusal = get_payment_link.sync("plink_nobody", client=service)
assert isinstance(refusal, ApiError) and refusal.error.code == "not_found" and refusal.error.request_id
request.amount = 0
invalid = create_payment_link.sync(client=service, body=request, idempotency_key=f"{reference}-invalid")
assert (invalid.error.code, invalid.error.param) == ("validation_error", "amount")

future = client(os.environ["PAYLINKS_FUTURE_URL"])
later = get_payment_link.sync(link.id, client=future)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
assert cancel_payment_link.sync(link.id, client=future).error.code == "code_to_come"


def sample(name: str) -> dict:
    return json.loads((Path(os.environ["PAYLINKS_SAMPLES"]) / name).read_text())


sys.path.append(str(Path(os.environ["PAYLINKS_VERIFY"]) / "python"))
from verify import is_genuine  # noqa: E402

body = (Path(os.environ["PAYLINKS_SAMPLES"]) / "known.json").read_bytes()
secret, signature = os.environ["PAYLINKS_WEBHOOK_SECRET"], os.environ["PAYLINKS_SIGNATURE"]
assert is_genuine(secret, signature, body) and not is_genuine(secret, signature, body + b" ")
known = WebhookEvent.from_dict(sample("known.json"))
assert known.type_ == "payment_link.paid" and known.data.payment_link.id.startswith("plink_")
typed = PaymentLinkPaidEvent.from_dict(sample("known.json"))
assert typed.data.payment_link.transaction.status == "succeeded"
unknown = WebhookEvent.from_dict(sample("unknown-type.json"))
assert unknown.type_ == "payment_link.admired" and unknown.data.payment_link is UNSET
values = WebhookEvent.from_dict(sample("unknown-values.json"))
assert values.data.payment_link.source == "kiosk" and values.data.context["triggeredBy"] == "kiosk"
print("ok")
