"""Does the steps of `scripts/sdk/steps.ts`, in their order."""

import os
import sys
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

import paylinks
from paylinks import PaymentLinkStatus, UpdateWebhookEndpointRequest, WebhookDeliveryStatus, WebhookEvent


def client(url: str) -> paylinks.ApiClient:
    configuration = paylinks.Configuration(host=url, access_token=os.environ["PAYLINKS_API_KEY"])
    return paylinks.ApiClient(configuration)


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
step("create a link")
replay = links_api.create_payment_link_with_http_info(reference, request)
assert replay.data == link and replay.headers["Idempotency-Replayed"] == "true"
step("create it again with the same idempotency key")
assert links_api.get_payment_link(link.id) == link
step("get the link")

ids = [link.id]
for key in ("a", "b"):
    ids.append(links_api.create_payment_link(f"{reference}-{key}", request).id)
listed = ids_of_pages(lambda page: links_api.list_payment_links(external_reference=reference, page=page, page_size=2))
assert sorted(listed) == sorted(ids)
step("list all pages of links")


def pay_and_read(link_id: str, endpoint_id: str) -> None:
    """Pays the link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered."""
    paid = links_api.simulate_payment_link(link_id, paylinks.SimulatePaymentLinkRequest(outcome="paid"))
    assert paid.status == PaymentLinkStatus.PAID
    test_helpers = paylinks.TestHelpersApi(service)
    refunded = test_helpers.simulate_refund(link_id, paylinks.SimulateRefundRequest(amount=25.5))
    assert [(refund.amount, refund.status) for refund in refunded.refunds] == [(25.5, "succeeded")]
    step("simulate a payment and a refund")
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
    assert [found.id for found in links.data] == [link_id] and links.total_count == 1 and not links.has_more
    step("list links by every filter")
    found = deliveries_api.list_webhook_deliveries(
        endpoint_id=endpoint_id,
        payment_link_id=link_id,
        type="payment_link.paid",
        status=WebhookDeliveryStatus.SKIPPED,
        since=since,
        page=1,
        page_size=1,
    )
    assert found.total_count == 1
    delivery_id = found.data[0].id
    step("list deliveries by every filter")
    all_ids = ids_of_pages(
        lambda page: deliveries_api.list_webhook_deliveries(endpoint_id=endpoint_id, page=page, page_size=1)
    )
    assert len(all_ids) == 2 and delivery_id in all_ids
    step("list all pages of deliveries")
    delivery = deliveries_api.get_webhook_delivery(delivery_id)
    event = WebhookEvent.from_json(delivery.payload)
    assert (event.id, event.type, event.data.payment_link.id) == (delivery_id, "payment_link.paid", link_id)
    step("get a delivery with its payload")
    endpoints_api.update_webhook_endpoint(endpoint_id, UpdateWebhookEndpointRequest(enabled=True))
    again = deliveries_api.redeliver_webhook_delivery(delivery_id)
    assert (again.id, again.status) == (delivery_id, WebhookDeliveryStatus.PENDING)
    step("redeliver the event")


url = "https://example.com/webhooks"
endpoint, other = (
    endpoints_api.create_webhook_endpoint(paylinks.CreateWebhookEndpointRequest(url=own, enabled_events=events))
    for own, events in (
        (url, ["payment_link.paid", "payment_link.refunded"]),
        (f"{url}/other", ["payment_link.expired"]),
    )
)
try:
    endpoint_ids = ids_of_pages(lambda page: endpoints_api.list_webhook_endpoints(page=page, page_size=1))
    assert {endpoint.id, other.id} <= set(endpoint_ids)
    step("list all pages of endpoints")
    disabled = endpoints_api.update_webhook_endpoint(endpoint.id, UpdateWebhookEndpointRequest(enabled=False))
    assert (disabled.status, disabled.url) == ("disabled", url)
    step("disable an endpoint")
    pay_and_read(ids[1], endpoint.id)
finally:
    for created in (endpoint, other):
        endpoints_api.delete_webhook_endpoint(created.id)

assert links_api.cancel_payment_link(link.id).status == PaymentLinkStatus.CANCELLED
step("cancel a link")

refusal = refusal_of(lambda: links_api.get_payment_link("plink_nobody"))
assert refusal.code == "not_found" and refusal.request_id
step("read the code of an error")
too_much = paylinks.SimulateRefundRequest(amount=999999)
invalid = refusal_of(lambda: paylinks.TestHelpersApi(service).simulate_refund(ids[1], too_much))
assert (invalid.code, invalid.param) == ("validation_error", "amount"), invalid
step("read the param of an error")

future = paylinks.PaymentLinksApi(client(os.environ["PAYLINKS_FUTURE_URL"]))
later = future.get_payment_link(link.id)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
step("read values of a later version")
assert refusal_of(lambda: future.cancel_payment_link(link.id)).code == "code_to_come"
step("read an error code of a later version")

sys.path.append(str(Path(os.environ["PAYLINKS_VERIFY"]) / "python"))
from verify import is_genuine  # noqa: E402

samples = Path(os.environ["PAYLINKS_SAMPLES"])
body = (samples / "known.json").read_bytes()
secret, signature = os.environ["PAYLINKS_WEBHOOK_SECRET"], os.environ["PAYLINKS_SIGNATURE"]
assert is_genuine(secret, signature, body) and not is_genuine(secret, signature, body + b" ")
step("verify a signature")
known = WebhookEvent.from_json(body.decode())
assert known.type == "payment_link.paid" and known.data.payment_link.id.startswith("plink_")
typed = paylinks.PaymentLinkPaidEvent.from_json(body.decode())
assert typed.data.payment_link.transaction.status == "succeeded"
step("parse an event")
unknown = WebhookEvent.from_json((samples / "unknown-type.json").read_text())
assert unknown.type == "payment_link.admired" and unknown.data.payment_link is None
step("parse an event of an unknown type")
values = WebhookEvent.from_json((samples / "unknown-values.json").read_text())
assert values.data.payment_link.source == "kiosk" and values.data.context == {"triggeredBy": "kiosk"}
step("parse an event with unknown values")
