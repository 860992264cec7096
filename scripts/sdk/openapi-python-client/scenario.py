"""Does the steps of `scripts/sdk/steps.ts`, in their order."""

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
from paylinks.api.webhook_deliveries import get_webhook_delivery, list_webhook_deliveries, redeliver_webhook_delivery
from paylinks.api.webhook_endpoints import create_webhook_endpoint, delete_webhook_endpoint, list_webhook_endpoints
from paylinks.api.webhook_endpoints import update_webhook_endpoint
from paylinks.models import ApiError, CreatePaymentLinkPatient, CreatePaymentLinkRequest, FilterableEventType, PaymentLinkPaidEvent
from paylinks.models import CreateWebhookEndpointRequest, PaymentLinkStatus, SelectableEventType, SimulatePaymentLinkRequest
from paylinks.models import SimulatePaymentLinkRequestOutcome, SimulateRefundRequest, UpdateWebhookEndpointRequest
from paylinks.models import WebhookDeliveryStatus, WebhookEndpointStatus, WebhookEvent
from paylinks.types import UNSET


def client(url: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=url, token=os.environ["PAYLINKS_API_KEY"])


def step(name: str) -> None:
    print("step", name)


def ids_of_pages(list_page) -> list:
    """Returns the ids of all list pages."""
    ids, number = [], 1
    while True:
        page = list_page(number)
        ids += [found.id for found in page.data]
        number += 1
        if not page.has_more:
            return ids


service = client(os.environ["PAYLINKS_BASE_URL"])
location_id = os.environ["PAYLINKS_LOCATION_ID"]
reference = f"sdk-{uuid.uuid4()}"
since = datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=1)
request = CreatePaymentLinkRequest(
    amount=125.5,
    description="Cleaning",
    patient=CreatePaymentLinkPatient(first_name="Ada", last_name="Byron"),
    location_id=location_id,
    external_reference=reference,
)
link = create_payment_link.sync(client=service, body=request, idempotency_key=reference)
assert link.status == PaymentLinkStatus.ACTIVE and link.amount == 125.5 and link.paid_at is None
step("create a link")
replay = create_payment_link.sync_detailed(client=service, body=request, idempotency_key=reference)
assert replay.parsed == link and replay.headers["Idempotency-Replayed"] == "true"
step("create it again with the same idempotency key")
assert get_payment_link.sync(link.id, client=service) == link
step("get the link")

ids = [link.id]
for key in ("a", "b"):
    ids.append(create_payment_link.sync(client=service, body=request, idempotency_key=f"{reference}-{key}").id)
listed = ids_of_pages(
    lambda page: list_payment_links.sync(client=service, external_reference=reference, page=page, page_size=2)
)
assert sorted(listed) == sorted(ids)
step("list all pages of links")


def pay_and_read(link_id: str, endpoint_id: str) -> None:
    """Pays the link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered."""
    outcome = SimulatePaymentLinkRequest(outcome=SimulatePaymentLinkRequestOutcome.PAID)
    assert simulate_payment_link.sync(link_id, client=service, body=outcome).status == PaymentLinkStatus.PAID
    refunded = simulate_refund.sync(link_id, client=service, body=SimulateRefundRequest(amount=25.5))
    assert [(refund.amount, refund.status) for refund in refunded.refunds] == [(25.5, "succeeded")]
    step("simulate a payment and a refund")
    links = list_payment_links.sync(
        client=service,
        status=PaymentLinkStatus.PAID,
        external_reference=reference,
        location_id=location_id,
        created_after=since,
        created_before=since + timedelta(hours=2),
        paid_after=since,
        page=1,
        page_size=1,
    )
    assert [found.id for found in links.data] == [link_id] and links.total_count == 1 and not links.has_more
    step("list links by every filter")
    found = list_webhook_deliveries.sync(
        client=service,
        endpoint_id=endpoint_id,
        payment_link_id=link_id,
        type_=FilterableEventType.PAYMENT_LINK_PAID,
        status=WebhookDeliveryStatus.SKIPPED,
        since=since,
        page=1,
        page_size=1,
    )
    assert found.total_count == 1
    delivery_id = found.data[0].id
    step("list deliveries by every filter")
    all_ids = ids_of_pages(
        lambda page: list_webhook_deliveries.sync(client=service, endpoint_id=endpoint_id, page=page, page_size=1)
    )
    assert len(all_ids) == 2 and delivery_id in all_ids
    step("list all pages of deliveries")
    delivery = get_webhook_delivery.sync(delivery_id, client=service)
    event = WebhookEvent.from_dict(json.loads(delivery.payload))
    assert (event.id, event.type_, event.data.payment_link.id) == (delivery_id, "payment_link.paid", link_id)
    step("get a delivery with its payload")
    update_webhook_endpoint.sync(endpoint_id, client=service, body=UpdateWebhookEndpointRequest(enabled=True))
    again = redeliver_webhook_delivery.sync(delivery_id, client=service)
    assert (again.id, again.status) == (delivery_id, WebhookDeliveryStatus.PENDING)
    step("redeliver the event")


url = "https://example.com/webhooks"
endpoint, other = (
    create_webhook_endpoint.sync(client=service, body=CreateWebhookEndpointRequest(url=own, enabled_events=events))
    for own, events in (
        (url, [SelectableEventType.PAYMENT_LINK_PAID, SelectableEventType.PAYMENT_LINK_REFUNDED]),
        (f"{url}/other", [SelectableEventType.PAYMENT_LINK_EXPIRED]),
    )
)
try:
    endpoint_ids = ids_of_pages(lambda page: list_webhook_endpoints.sync(client=service, page=page, page_size=1))
    assert {endpoint.id, other.id} <= set(endpoint_ids)
    step("list all pages of endpoints")
    disabled = update_webhook_endpoint.sync(endpoint.id, client=service, body=UpdateWebhookEndpointRequest(enabled=False))
    assert (disabled.status, disabled.url) == (WebhookEndpointStatus.DISABLED, url)
    step("disable an endpoint")
    pay_and_read(ids[1], endpoint.id)
finally:
    for created in (endpoint, other):
        delete_webhook_endpoint.sync_detailed(created.id, client=service)

assert cancel_payment_link.sync(link.id, client=service).status == PaymentLinkStatus.CANCELLED
step("cancel a link")

refusal = get_payment_link.sync("plink_nobody", client=service)
assert isinstance(refusal, ApiError) and refusal.error.code == "not_found" and refusal.error.request_id
step("read the code of an error")
request.amount = 0
invalid = create_payment_link.sync(client=service, body=request, idempotency_key=f"{reference}-invalid")
assert (invalid.error.code, invalid.error.param) == ("validation_error", "amount")
step("read the param of an error")

future = client(os.environ["PAYLINKS_FUTURE_URL"])
later = get_payment_link.sync(link.id, client=future)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
step("read values of a later version")
assert cancel_payment_link.sync(link.id, client=future).error.code == "code_to_come"
step("read an error code of a later version")


def sample(name: str) -> dict:
    return json.loads((Path(os.environ["PAYLINKS_SAMPLES"]) / name).read_text())


sys.path.append(str(Path(os.environ["PAYLINKS_VERIFY"]) / "python"))
from verify import is_genuine  # noqa: E402

body = (Path(os.environ["PAYLINKS_SAMPLES"]) / "known.json").read_bytes()
secret, signature = os.environ["PAYLINKS_WEBHOOK_SECRET"], os.environ["PAYLINKS_SIGNATURE"]
assert is_genuine(secret, signature, body) and not is_genuine(secret, signature, body + b" ")
step("verify a signature")
known = WebhookEvent.from_dict(sample("known.json"))
assert known.type_ == "payment_link.paid" and known.data.payment_link.id.startswith("plink_")
typed = PaymentLinkPaidEvent.from_dict(sample("known.json"))
assert typed.data.payment_link.transaction.status == "succeeded"
step("parse an event")
unknown = WebhookEvent.from_dict(sample("unknown-type.json"))
assert unknown.type_ == "payment_link.admired" and unknown.data.payment_link is UNSET
step("parse an event of an unknown type")
values = WebhookEvent.from_dict(sample("unknown-values.json"))
assert values.data.payment_link.source == "kiosk" and values.data.context["triggeredBy"] == "kiosk"
step("parse an event with unknown values")
