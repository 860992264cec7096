"""Uses the operations of proofs/sdk/requests.ts, and reads values of a later version."""

import json
import os
import uuid
from datetime import datetime, timedelta, timezone

from paylinks import AuthenticatedClient, models
from paylinks.api.payment_links import cancel_payment_link, create_payment_link, get_payment_link, list_payment_links
from paylinks.api.payment_links import simulate_payment_link
from paylinks.api.webhook_deliveries import get_webhook_delivery, list_webhook_deliveries
from paylinks.api.webhook_endpoints import create_webhook_endpoint, delete_webhook_endpoint, update_webhook_endpoint
from paylinks.types import UNSET


def client(url: str) -> AuthenticatedClient:
    return AuthenticatedClient(base_url=url, token=os.environ["PAYLINKS_API_KEY"])


service = client(os.environ["PAYLINKS_BASE_URL"])
location_id = os.environ["PAYLINKS_LOCATION_ID"]
reference = f"sdk-{uuid.uuid4()}"
since = datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=1)
request = models.CreatePaymentLinkRequest(
    amount=125.5,
    description="Cleaning",
    patient=models.CreatePaymentLinkPatient(first_name="Ada", last_name="Byron"),
    location_id=location_id,
    external_reference=reference,
)
link = create_payment_link.sync(client=service, body=request, idempotency_key=reference)
assert link.status == models.PaymentLinkStatus.ACTIVE and link.amount == 125.5 and link.paid_at is None
replay = create_payment_link.sync_detailed(client=service, body=request, idempotency_key=reference)
assert replay.parsed == link and replay.headers["Idempotency-Replayed"] == "true"
url = "https://example.com/webhooks"
new_endpoint = models.CreateWebhookEndpointRequest(
    url=url, enabled_events=[models.SelectableEventType.PAYMENT_LINK_PAID]
)
endpoint = create_webhook_endpoint.sync(client=service, body=new_endpoint)
disable = models.UpdateWebhookEndpointRequest(enabled=False)
disabled = update_webhook_endpoint.sync(endpoint.id, client=service, body=disable)
assert (disabled.status, disabled.url) == (models.WebhookEndpointStatus.DISABLED, url)
outcome = models.SimulatePaymentLinkRequest(outcome=models.SimulatePaymentLinkRequestOutcome.PAID)
assert simulate_payment_link.sync(link.id, client=service, body=outcome).status == models.PaymentLinkStatus.PAID
links = list_payment_links.sync(
    client=service,
    status=models.PaymentLinkStatus.PAID,
    external_reference=reference,
    location_id=location_id,
    created_after=since,
    created_before=since + timedelta(hours=2),
    paid_after=since,
    page=1,
    page_size=1,
)
assert [found.id for found in links.data] == [link.id] and links.total_count == 1 and not links.has_more
deliveries = list_webhook_deliveries.sync(
    client=service,
    endpoint_id=endpoint.id,
    payment_link_id=link.id,
    type_=models.FilterableEventType.PAYMENT_LINK_PAID,
    status=models.WebhookDeliveryStatus.SKIPPED,
    since=since,
    page=1,
    page_size=1,
)
assert deliveries.total_count == 1
delivery_id = deliveries.data[0].id
payload = json.loads(get_webhook_delivery.sync(delivery_id, client=service).payload)
event = models.WebhookEvent.from_dict(payload)
assert (event.id, event.type_, event.data.payment_link.id) == (delivery_id, "payment_link.paid", link.id)
assert models.PaymentLinkPaidEvent.from_dict(payload).data.payment_link.transaction.status == "succeeded"
assert delete_webhook_endpoint.sync_detailed(endpoint.id, client=service).status_code == 204
request.amount = 0
invalid = create_payment_link.sync(client=service, body=request, idempotency_key=f"{reference}-invalid")
assert isinstance(invalid, models.ApiError)
assert (invalid.error.code, invalid.error.param) == ("validation_error", "amount")

future = client(os.environ["PAYLINKS_FUTURE_URL"])
later = get_payment_link.sync(link.id, client=future)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
assert cancel_payment_link.sync(link.id, client=future).error.code == "code_to_come"

unknown = models.WebhookEvent.from_dict(json.loads(os.environ["PAYLINKS_FUTURE_EVENT"]))
assert unknown.type_ == "payment_link.admired" and unknown.data.payment_link is UNSET
assert unknown.data.context["triggeredBy"] == "kiosk"
