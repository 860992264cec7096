"""Uses the operations of scripts/sdk/requests.ts, and reads values of a later version."""

import os
import uuid
from datetime import datetime, timedelta, timezone

import paylinks
from paylinks import PaymentLinkStatus, WebhookDeliveryStatus, WebhookEvent


def client(url: str) -> paylinks.ApiClient:
    configuration = paylinks.Configuration(host=url, access_token=os.environ["PAYLINKS_API_KEY"])
    return paylinks.ApiClient(configuration)


def refusal_of(call) -> paylinks.ApiErrorDetails:
    """Returns the error of a refused call."""
    try:
        call()
    except paylinks.ApiException as refusal:
        return refusal.data.error
    raise AssertionError("a refusal was taken for a success")


service = client(os.environ["PAYLINKS_BASE_URL"])
links_api = paylinks.PaymentLinksApi(service)
endpoints_api = paylinks.WebhookEndpointsApi(service)
deliveries_api = paylinks.WebhookDeliveriesApi(service)
location_id = os.environ["PAYLINKS_LOCATION_ID"]
reference = f"sdk-{uuid.uuid4()}"
# Dates as this SDK writes them, with an offset that has no colon.
since = datetime.now(timezone(timedelta(hours=2))) - timedelta(hours=1)
request = paylinks.CreatePaymentLinkRequest(
    amount=125.5,
    description="Cleaning",
    patient=paylinks.CreatePaymentLinkPatient(first_name="Ada", last_name="Byron"),
    location_id=location_id,
    external_reference=reference,
)
link = links_api.create_payment_link(reference, request)
assert link.status == PaymentLinkStatus.ACTIVE and link.amount == 125.5 and link.paid_at is None
replay = links_api.create_payment_link_with_http_info(reference, request)
assert replay.data == link and replay.headers["Idempotency-Replayed"] == "true"
url = "https://example.com/webhooks"
new_endpoint = paylinks.CreateWebhookEndpointRequest(url=url, enabled_events=["payment_link.paid"])
endpoint = endpoints_api.create_webhook_endpoint(new_endpoint)
disable = paylinks.UpdateWebhookEndpointRequest(enabled=False)
disabled = endpoints_api.update_webhook_endpoint(endpoint.id, disable)
assert (disabled.status, disabled.url) == ("disabled", url)
paid = links_api.simulate_payment_link(link.id, paylinks.SimulatePaymentLinkRequest(outcome="paid"))
assert paid.status == PaymentLinkStatus.PAID
links = links_api.list_payment_links(
    status=PaymentLinkStatus.PAID,
    external_reference=reference,
    location_id=location_id,
    created_after=since,
    created_before=since + timedelta(hours=2),
    paid_after=since,
    page=1,
    page_size=1,
)
assert [found.id for found in links.data] == [link.id] and links.total_count == 1 and not links.has_more
deliveries = deliveries_api.list_webhook_deliveries(
    endpoint_id=endpoint.id,
    payment_link_id=link.id,
    type=paylinks.FilterableEventType("payment_link.paid"),
    status=WebhookDeliveryStatus.SKIPPED,
    since=since,
    page=1,
    page_size=1,
)
assert deliveries.total_count == 1
delivery_id = deliveries.data[0].id
payload = deliveries_api.get_webhook_delivery(delivery_id).payload
event = WebhookEvent.from_json(payload)
assert (event.id, event.type, event.data.payment_link.id) == (delivery_id, "payment_link.paid", link.id)
assert paylinks.PaymentLinkPaidEvent.from_json(payload).data.payment_link.transaction.status == "succeeded"
endpoints_api.delete_webhook_endpoint(endpoint.id)
# This SDK itself refuses an amount below the least one of a link.
too_much = paylinks.SimulateRefundRequest(amount=999999)
invalid = refusal_of(lambda: paylinks.TestHelpersApi(service).simulate_refund(link.id, simulate_refund_request=too_much))
assert (invalid.code, invalid.param) == ("validation_error", "amount"), invalid

future = paylinks.PaymentLinksApi(client(os.environ["PAYLINKS_FUTURE_URL"]))
later = future.get_payment_link(link.id)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
assert refusal_of(lambda: future.cancel_payment_link(link.id)).code == "code_to_come"

unknown = WebhookEvent.from_json(os.environ["PAYLINKS_FUTURE_EVENT"])
assert unknown.type == "payment_link.admired" and unknown.data.payment_link is None
assert unknown.data.context == {"triggeredBy": "kiosk"}
