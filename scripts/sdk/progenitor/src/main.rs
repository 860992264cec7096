//! Does the steps of scripts/sdk/steps.ts, in their order.

use std::env::var;
use std::fs::read_to_string;

use chrono::{DateTime, Duration, Utc};
use paylinks::types::{
    ApiError, ApiErrorDetails, CreatePaymentLinkPatient, CreatePaymentLinkRequest, EventType, PaymentLinkPaidEvent,
    PaymentLinkStatus, SimulatePaymentLinkRequestOutcome, WebhookDeliveryStatus, WebhookEndpointStatus,
    WebhookEndpointWithSecret, WebhookEvent,
};
use paylinks::{Client, Error};

mod verify;

mod paylinks {
    progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder, derives = [PartialEq]);
}

fn step(name: &str) {
    println!("step {name}");
}

fn client(variable: &str) -> Client {
    let mut headers = reqwest::header::HeaderMap::new();
    let authorization = format!("Bearer {}", var("PAYLINKS_API_KEY").unwrap());
    headers.insert("Authorization", authorization.parse().unwrap());
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    Client::new_with_client(&var(variable).unwrap(), http)
}

fn raw(name: &str) -> String {
    read_to_string(format!("{}/{name}", var("PAYLINKS_SAMPLES").unwrap())).unwrap()
}

fn parse<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}

/// Returns the typed error of a refused call.
fn refusal_of(error: Error<ApiError>) -> ApiErrorDetails {
    match error {
        Error::ErrorResponse(refusal) => refusal.into_inner().error,
        other => panic!("{other}"),
    }
}

/// Values that all steps use.
struct Scenario {
    service: Client,
    location_id: String,
    reference: String,
    since: DateTime<Utc>,
}

impl Scenario {
    /// Pays a link while its endpoint is disabled, so that the deliveries are skipped until they are redelivered.
    async fn pay_and_read(&self, link_id: &str) {
        let service = &self.service;
        let url = "https://example.com/webhooks";
        let endpoint = self.create_endpoint(url, &["payment_link.paid", "payment_link.refunded"]).await;
        let other = self.create_endpoint(&format!("{url}/other"), &["payment_link.expired"]).await;
        let mut ids = Vec::new();
        for number in 1.. {
            let page = service.list_webhook_endpoints().page(number).page_size(1).send().await.unwrap().into_inner();
            ids.extend(page.data.iter().map(|each| each.id.to_string()));
            if !*page.has_more {
                break;
            }
        }
        assert!(ids.contains(&endpoint.id) && ids.contains(&other.id));
        step("list all pages of endpoints");
        let enable = |enabled| {
            service.update_webhook_endpoint().id(endpoint.id.as_str()).body_map(move |body| body.enabled(enabled))
        };
        let disabled = enable(false).send().await.unwrap().into_inner();
        assert_eq!((disabled.status, disabled.url.as_str()), (WebhookEndpointStatus::Disabled, url));
        step("disable an endpoint");
        self.pay_and_refund(link_id).await;
        let delivery_id = self.read_deliveries(link_id, &endpoint.id).await;
        enable(true).send().await.unwrap();
        let again = service.redeliver_webhook_delivery().id(&delivery_id).send().await.unwrap().into_inner();
        assert_eq!((again.id.as_str(), again.status), (delivery_id.as_str(), WebhookDeliveryStatus::Pending));
        step("redeliver the event");
        for id in [&endpoint.id, &other.id] {
            service.delete_webhook_endpoint().id(id.as_str()).send().await.unwrap();
        }
    }

    async fn create_endpoint(&self, url: &str, types: &[&str]) -> WebhookEndpointWithSecret {
        let types: Vec<_> = types.iter().map(|each| each.parse().unwrap()).collect();
        let create = self.service.create_webhook_endpoint();
        create.body_map(|body| body.url(url).enabled_events(Some(types))).send().await.unwrap().into_inner()
    }

    async fn pay_and_refund(&self, link_id: &str) {
        let pay = self.service.simulate_payment_link().id(link_id);
        let paid = pay.body_map(|body| body.outcome(SimulatePaymentLinkRequestOutcome::Paid)).send().await.unwrap();
        assert_eq!(paid.status, PaymentLinkStatus::Paid);
        let refund = self.service.simulate_refund().id(link_id);
        let refunded = refund.body_map(|body| body.amount(25.5)).send().await.unwrap();
        assert_eq!((refunded.refunds[0].amount, refunded.refunds[0].status.as_str()), (25.5, "succeeded"));
        step("simulate a payment and a refund");
        let links = self
            .service
            .list_payment_links()
            .status(PaymentLinkStatus::Paid)
            .external_reference(self.reference.as_str())
            .location_id(self.location_id.as_str())
            .created_after(self.since)
            .created_before(self.since + Duration::hours(2))
            .paid_after(self.since)
            .page(1)
            .page_size(1)
            .send()
            .await
            .unwrap();
        assert_eq!((*links.total_count, *links.has_more, links.data[0].id.as_str()), (1, false, link_id));
        step("list links by every filter");
    }

    /// Returns the id of the delivery of the payment.
    async fn read_deliveries(&self, link_id: &str, endpoint_id: &str) -> String {
        let list = || self.service.list_webhook_deliveries().endpoint_id(endpoint_id).page_size(1);
        let found = list()
            .payment_link_id(link_id)
            .type_("payment_link.paid".parse::<EventType>().unwrap())
            .status(WebhookDeliveryStatus::Skipped)
            .since(self.since)
            .page(1)
            .send()
            .await
            .unwrap();
        assert_eq!((*found.total_count, found.data[0].type_.as_str()), (1, "payment_link.paid"));
        let delivery_id = found.data[0].id.to_string();
        step("list deliveries by every filter");
        let mut ids = Vec::new();
        for number in 1.. {
            let page = list().page(number).send().await.unwrap().into_inner();
            ids.extend(page.data.iter().map(|each| each.id.to_string()));
            if !*page.has_more {
                break;
            }
        }
        assert_eq!((ids.len(), ids.contains(&delivery_id)), (2, true));
        step("list all pages of deliveries");
        let delivery = self.service.get_webhook_delivery().id(&delivery_id).send().await.unwrap();
        let event: WebhookEvent = parse(&delivery.payload);
        assert_eq!((event.id.as_str(), event.type_.as_str()), (delivery_id.as_str(), "payment_link.paid"));
        assert_eq!(event.data.payment_link.unwrap().id.as_str(), link_id);
        step("get a delivery with its payload");
        delivery_id
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let now = Utc::now();
    let scenario = Scenario {
        service: client("PAYLINKS_BASE_URL"),
        location_id: var("PAYLINKS_LOCATION_ID").unwrap(),
        reference: format!("sdk-{}-{}", std::process::id(), now.timestamp_micros()),
        since: now - Duration::hours(1),
    };
    let (service, reference) = (&scenario.service, &scenario.reference);
    let patient = CreatePaymentLinkPatient::builder().first_name("Ada").last_name("Byron");
    let request: CreatePaymentLinkRequest = CreatePaymentLinkRequest::builder()
        .amount(125.5)
        .description("Cleaning")
        .patient(patient)
        .location_id(scenario.location_id.clone())
        .external_reference(Some(reference.parse().unwrap()))
        .try_into()
        .unwrap();
    let create = |key: String| service.create_payment_link().idempotency_key(key).body(request.clone());
    let link = create(reference.clone()).send().await.unwrap().into_inner();
    assert_eq!((link.status, link.amount, link.paid_at), (PaymentLinkStatus::Active, 125.5, None));
    step("create a link");
    let replay = create(reference.clone()).send().await.unwrap();
    assert_eq!(replay.headers()["Idempotency-Replayed"], "true");
    assert_eq!(replay.into_inner(), link);
    step("create it again with the same idempotency key");
    let id = link.id.to_string();
    assert_eq!(service.get_payment_link().id(&id).send().await.unwrap().into_inner(), link);
    step("get the link");

    let mut ids = vec![id.clone()];
    for key in ["a", "b"] {
        ids.push(create(format!("{reference}-{key}")).send().await.unwrap().id.to_string());
    }
    let mut listed = Vec::new();
    for number in 1.. {
        let list = service.list_payment_links().external_reference(reference.as_str());
        let page = list.page(number).page_size(2).send().await.unwrap().into_inner();
        listed.extend(page.data.iter().map(|each| each.id.to_string()));
        if !*page.has_more {
            break;
        }
    }
    let paid_id = ids[1].clone();
    ids.sort();
    listed.sort();
    assert_eq!(listed, ids);
    step("list all pages of links");
    scenario.pay_and_read(&paid_id).await;
    let cancelled = service.cancel_payment_link().id(&id).send().await.unwrap();
    assert_eq!(cancelled.status, PaymentLinkStatus::Cancelled);
    step("cancel a link");

    let unknown = refusal_of(service.get_payment_link().id("plink_nobody").send().await.unwrap_err());
    assert_eq!(unknown.code.as_str(), "not_found");
    step("read the code of an error");
    let free = create(format!("{reference}-invalid")).body_map(|body| body.amount(0.0));
    let invalid = refusal_of(free.send().await.unwrap_err());
    assert_eq!((invalid.code.as_str(), invalid.param.as_deref()), ("validation_error", Some("amount")));
    step("read the param of an error");
    let future = client("PAYLINKS_FUTURE_URL");
    let later = future.get_payment_link().id(&id).send().await.unwrap().into_inner();
    assert_eq!(later.source, "kiosk");
    assert_eq!(later.transaction.unwrap().status, "held");
    assert_eq!(later.refunds[0].status, "recalled");
    step("read values of a later version");
    let refused = refusal_of(future.cancel_payment_link().id(&id).send().await.unwrap_err());
    assert_eq!(refused.code.as_str(), "code_to_come");
    step("read an error code of a later version");
    receive_webhooks();
}

fn receive_webhooks() {
    let body = raw("known.json");
    let (secret, signature) = (var("PAYLINKS_WEBHOOK_SECRET").unwrap(), var("PAYLINKS_SIGNATURE").unwrap());
    let is_genuine = |body: &str| verify::is_genuine(&secret, &signature, body.as_bytes(), Utc::now().timestamp());
    assert!(is_genuine(&body) && !is_genuine(&format!("{body} ")));
    step("verify a signature");
    let known: WebhookEvent = parse(&body);
    assert_eq!(known.type_.as_str(), "payment_link.paid");
    assert!(known.data.payment_link.unwrap().id.starts_with("plink_"));
    let typed: PaymentLinkPaidEvent = parse(&body);
    assert_eq!(typed.data.payment_link.transaction.unwrap().status, "succeeded");
    step("parse an event");
    let unknown: WebhookEvent = parse(&raw("unknown-type.json"));
    assert_eq!(unknown.type_.as_str(), "payment_link.admired");
    assert!(unknown.data.payment_link.is_none());
    step("parse an event of an unknown type");
    let values: WebhookEvent = parse(&raw("unknown-values.json"));
    assert_eq!(values.data.payment_link.unwrap().source, "kiosk");
    assert_eq!(values.data.context.unwrap()["triggeredBy"], "kiosk");
    step("parse an event with unknown values");
}
