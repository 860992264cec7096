"""Creates, replays, reads and lists a link, and reads what a later version may send."""

import json
import os
import uuid
from datetime import datetime, timedelta, timezone
from pathlib import Path

from paylinks import AuthenticatedClient
from paylinks.api.payment_links import cancel_payment_link, create_payment_link, get_payment_link, list_payment_links
from paylinks.models import ApiError, CreatePaymentLinkPatient, CreatePaymentLinkRequest, PaymentLinkPaidEvent
from paylinks.models import PaymentLinkStatus, WebhookEvent
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
assert cancel_payment_link.sync(link.id, client=service).status == PaymentLinkStatus.CANCELLED

refusal = get_payment_link.sync("plink_nobody", client=service)
assert isinstance(refusal, ApiError) and refusal.error.code == "not_found" and refusal.error.request_id

future = client(os.environ["PAYLINKS_FUTURE_URL"])
later = get_payment_link.sync(link.id, client=future)
assert (later.source, later.transaction.status, later.refunds[0].status) == ("kiosk", "held", "recalled")
assert cancel_payment_link.sync(link.id, client=future).error.code == "code_to_come"


def sample(name: str) -> dict:
    return json.loads((Path(os.environ["PAYLINKS_SAMPLES"]) / name).read_text())


known = WebhookEvent.from_dict(sample("known.json"))
assert known.type_ == "payment_link.paid" and known.data.payment_link.id.startswith("plink_")
typed = PaymentLinkPaidEvent.from_dict(sample("known.json"))
assert typed.data.payment_link.transaction.status == "succeeded"
unknown = WebhookEvent.from_dict(sample("unknown-type.json"))
assert unknown.type_ == "payment_link.admired" and unknown.data.payment_link is UNSET
values = WebhookEvent.from_dict(sample("unknown-values.json"))
assert values.data.payment_link.source == "kiosk" and values.data.context["triggeredBy"] == "kiosk"
print("ok")
