//! Does the steps of scripts/sdk/steps.ts, in their order.

use std::env::var;
use std::fs::read_to_string;

use chrono::{DateTime, Duration, FixedOffset, Utc};
use paylinks::apis::configuration::Configuration;
use paylinks::apis::payment_links_api::{
    cancel_payment_link, create_payment_link, get_payment_link, list_payment_links, simulate_payment_link,
};
use paylinks::apis::test_helpers_api::simulate_refund;
use paylinks::apis::webhook_deliveries_api::{
    get_webhook_delivery, list_webhook_deliveries, redeliver_webhook_delivery,
};
use paylinks::apis::webhook_endpoints_api::{
    create_webhook_endpoint, delete_webhook_endpoint, list_webhook_endpoints, update_webhook_endpoint,
};
use paylinks::apis::Error;
use paylinks::models::{
    simulate_payment_link_request::Outcome, webhook_endpoint, ApiError, ApiErrorDetails, CreatePaymentLinkPatient,
    CreatePaymentLinkRequest, CreateWebhookEndpointRequest, PaymentLinkPaidEvent, PaymentLinkStatus,
    SimulatePaymentLinkRequest, SimulateRefundRequest, UpdateWebhookEndpointRequest, WebhookDeliveryStatus,
    WebhookEndpointWithSecret, WebhookEvent,
};

mod verify;

fn step(name: &str) {
    println!("step {name}");
}

fn client(variable: &str) -> Configuration {
    Configuration {
        base_path: var(variable).unwrap(),
        bearer_access_token: Some(var("PAYLINKS_API_KEY").unwrap()),
        ..Configuration::default()
    }
}

fn raw(name: &str) -> String {
    read_to_string(format!("{}/{name}", var("PAYLINKS_SAMPLES").unwrap())).unwrap()
}

fn parse<T: serde::de::DeserializeOwned>(json: &str) -> T {
    serde_json::from_str(json).unwrap()
}

/// Returns the typed error of a refused call.
fn refusal_of<T>(error: Error<T>) -> ApiErrorDetails {
    match error {
        Error::ResponseError(refusal) => *parse::<ApiError>(&refusal.content).error,
        other => panic!("{other}"),
    }
}

/// Values that all steps use.
struct Scenario {
    service: Configuration,
    location_id: String,
    reference: String,
    since: DateTime<FixedOffset>,
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
            let page = list_webhook_endpoints(service, Some(number), Some(1)).await.unwrap();
            ids.extend(page.data.into_iter().map(|each| each.id));
            if !page.has_more {
                break;
            }
        }
        assert!(ids.contains(&endpoint.id) && ids.contains(&other.id));
        step("list all pages of endpoints");
        let enabled = |enabled| UpdateWebhookEndpointRequest { enabled: Some(enabled), ..Default::default() };
        let disabled = update_webhook_endpoint(service, &endpoint.id, enabled(false)).await.unwrap();
        assert_eq!((disabled.status, disabled.url.as_str()), (webhook_endpoint::Status::Disabled, url));
        step("disable an endpoint");
        self.pay_and_refund(link_id).await;
        let delivery_id = self.read_deliveries(link_id, &endpoint.id).await;
        update_webhook_endpoint(service, &endpoint.id, enabled(true)).await.unwrap();
        let again = redeliver_webhook_delivery(service, &delivery_id).await.unwrap();
        assert_eq!((again.id, again.status), (delivery_id, WebhookDeliveryStatus::Pending));
        step("redeliver the event");
        for id in [endpoint.id, other.id] {
            delete_webhook_endpoint(service, &id).await.unwrap();
        }
    }

    async fn create_endpoint(&self, url: &str, types: &[&str]) -> WebhookEndpointWithSecret {
        let request = CreateWebhookEndpointRequest {
            enabled_events: Some(Some(types.iter().map(ToString::to_string).collect())),
            ..CreateWebhookEndpointRequest::new(url.into())
        };
        create_webhook_endpoint(&self.service, request, None).await.unwrap()
    }

    async fn pay_and_refund(&self, link_id: &str) {
        let paid = SimulatePaymentLinkRequest::new(Outcome::Paid);
        let link = simulate_payment_link(&self.service, link_id, paid).await.unwrap();
        assert_eq!(link.status, PaymentLinkStatus::Paid);
        let part = SimulateRefundRequest { amount: Some(25.5), ..Default::default() };
        let refunded = simulate_refund(&self.service, link_id, Some(part)).await.unwrap();
        assert_eq!((refunded.refunds[0].amount, refunded.refunds[0].status.as_str()), (25.5, "succeeded"));
        step("simulate a payment and a refund");
        let links = list_payment_links(
            &self.service,
            Some(PaymentLinkStatus::Paid),
            Some(&self.reference),
            Some(&self.location_id),
            Some(self.since),
            Some(self.since + Duration::hours(2)),
            Some(self.since),
            Some(1),
            Some(1),
        )
        .await
        .unwrap();
        assert_eq!((links.total_count, links.has_more, links.data[0].id.as_str()), (1, false, link_id));
        step("list links by every filter");
    }

    /// Returns the id of the delivery of the payment.
    async fn read_deliveries(&self, link_id: &str, endpoint_id: &str) -> String {
        let service = &self.service;
        let skipped = Some(WebhookDeliveryStatus::Skipped);
        let (endpoint, link, paid) = (Some(endpoint_id), Some(link_id), Some("payment_link.paid"));
        let found = list_webhook_deliveries(service, endpoint, link, skipped, paid, Some(self.since), Some(1), Some(1))
            .await
            .unwrap();
        assert_eq!((found.total_count, found.data[0].r#type.as_str()), (1, "payment_link.paid"));
        let delivery_id = found.data[0].id.clone();
        step("list deliveries by every filter");
        let mut ids = Vec::new();
        for number in 1.. {
            let page = list_webhook_deliveries(service, endpoint, None, None, None, None, Some(number), Some(1))
                .await
                .unwrap();
            ids.extend(page.data.into_iter().map(|each| each.id));
            if !page.has_more {
                break;
            }
        }
        assert_eq!((ids.len(), ids.contains(&delivery_id)), (2, true));
        step("list all pages of deliveries");
        let delivery = get_webhook_delivery(service, &delivery_id).await.unwrap();
        let event: WebhookEvent = parse(&delivery.payload);
        assert_eq!((event.id.as_str(), event.r#type.as_str()), (delivery_id.as_str(), "payment_link.paid"));
        assert_eq!(event.data.payment_link.unwrap().id, link_id);
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
        since: (now - Duration::hours(1)).with_timezone(&FixedOffset::east_opt(7200).unwrap()),
    };
    let (service, reference) = (&scenario.service, &scenario.reference);
    let patient = CreatePaymentLinkPatient::new("Ada".into(), "Byron".into());
    let request = CreatePaymentLinkRequest {
        location_id: Some(Some(scenario.location_id.clone())),
        external_reference: Some(Some(reference.clone())),
        ..CreatePaymentLinkRequest::new(125.5, "Cleaning".into(), patient)
    };
    let link = create_payment_link(service, reference, request.clone()).await.unwrap();
    assert_eq!((link.status, link.amount, link.paid_at), (PaymentLinkStatus::Active, 125.5, None));
    step("create a link");
    // This SDK shows no response headers. The same link says that no second one was created.
    assert_eq!(create_payment_link(service, reference, request.clone()).await.unwrap(), link);
    step("create it again with the same idempotency key");
    assert_eq!(get_payment_link(service, &link.id).await.unwrap(), link);
    step("get the link");

    let mut ids = vec![link.id.clone()];
    for key in ["a", "b"] {
        ids.push(create_payment_link(service, &format!("{reference}-{key}"), request.clone()).await.unwrap().id);
    }
    let mut listed = Vec::new();
    for number in 1.. {
        let (page, size) = (Some(number), Some(2));
        let links =
            list_payment_links(service, None, Some(reference), None, None, None, None, page, size).await.unwrap();
        listed.extend(links.data.into_iter().map(|each| each.id));
        if !links.has_more {
            break;
        }
    }
    let paid_id = ids[1].clone();
    ids.sort();
    listed.sort();
    assert_eq!(listed, ids);
    step("list all pages of links");
    scenario.pay_and_read(&paid_id).await;
    assert_eq!(cancel_payment_link(service, &link.id).await.unwrap().status, PaymentLinkStatus::Cancelled);
    step("cancel a link");

    assert_eq!(refusal_of(get_payment_link(service, "plink_nobody").await.unwrap_err()).code, "not_found");
    step("read the code of an error");
    let free = CreatePaymentLinkRequest { amount: 0.0, ..request };
    let invalid = refusal_of(create_payment_link(service, &format!("{reference}-invalid"), free).await.unwrap_err());
    assert_eq!((invalid.code.as_str(), invalid.param.as_deref()), ("validation_error", Some("amount")));
    step("read the param of an error");
    let future = client("PAYLINKS_FUTURE_URL");
    let later = get_payment_link(&future, &link.id).await.unwrap();
    assert_eq!(later.source, "kiosk");
    assert_eq!(later.transaction.unwrap().status, "held");
    assert_eq!(later.refunds[0].status, "recalled");
    step("read values of a later version");
    assert_eq!(refusal_of(cancel_payment_link(&future, &link.id).await.unwrap_err()).code, "code_to_come");
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
    assert_eq!(known.r#type, "payment_link.paid");
    assert!(known.data.payment_link.unwrap().id.starts_with("plink_"));
    let typed: PaymentLinkPaidEvent = parse(&body);
    assert_eq!(typed.data.payment_link.transaction.unwrap().status, "succeeded");
    step("parse an event");
    let unknown: WebhookEvent = parse(&raw("unknown-type.json"));
    assert_eq!(unknown.r#type, "payment_link.admired");
    assert!(unknown.data.payment_link.is_none());
    step("parse an event of an unknown type");
    let values: WebhookEvent = parse(&raw("unknown-values.json"));
    assert_eq!(values.data.payment_link.unwrap().source, "kiosk");
    assert_eq!(values.data.context.unwrap().unwrap()["triggeredBy"], "kiosk");
    step("parse an event with unknown values");
}
