//! Uses the operations of proofs/sdk/requests.ts, and reads values of a later version.

use std::env::var;

use chrono::{Duration, Utc};
use paylinks::types::{
    ApiError, ApiErrorDetails, CreatePaymentLinkPatient, CreatePaymentLinkRequest, FilterableEventType,
    PaymentLinkPaidEvent, PaymentLinkStatus, SimulatePaymentLinkRequestOutcome, WebhookDeliveryStatus,
    WebhookEndpointStatus, WebhookEvent,
};
use paylinks::{Client, Error};

mod paylinks {
    progenitor::generate_api!(spec = "openapi-3.0.json", interface = Builder, derives = [PartialEq]);
}

fn client(variable: &str) -> Client {
    let mut headers = reqwest::header::HeaderMap::new();
    let authorization = format!("Bearer {}", var("PAYLINKS_API_KEY").unwrap());
    headers.insert("Authorization", authorization.parse().unwrap());
    let http = reqwest::Client::builder().default_headers(headers).build().unwrap();
    Client::new_with_client(&var(variable).unwrap(), http)
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

async fn use_service() {
    let service = client("PAYLINKS_BASE_URL");
    let now = Utc::now();
    let location_id = var("PAYLINKS_LOCATION_ID").unwrap();
    let reference = format!("sdk-{}-{}", std::process::id(), now.timestamp_micros());
    let since = now - Duration::hours(1);
    let patient = CreatePaymentLinkPatient::builder().first_name("Ada").last_name("Byron");
    let request: CreatePaymentLinkRequest = CreatePaymentLinkRequest::builder()
        .amount(125.5)
        .description("Cleaning")
        .patient(patient)
        .location_id(location_id.clone())
        .external_reference(Some(reference.parse().unwrap()))
        .try_into()
        .unwrap();
    let create = |key: &str| service.create_payment_link().idempotency_key(key).body(request.clone());
    let link = create(&reference).send().await.unwrap().into_inner();
    assert_eq!((link.status, link.amount, link.paid_at), (PaymentLinkStatus::Active, 125.5, None));
    let replay = create(&reference).send().await.unwrap();
    assert_eq!(replay.headers()["Idempotency-Replayed"], "true");
    assert_eq!(replay.into_inner(), link);
    let url = "https://example.com/webhooks";
    let types = vec!["payment_link.paid".parse().unwrap()];
    let create_endpoint = service.create_webhook_endpoint().body_map(|body| body.url(url).enabled_events(Some(types)));
    let endpoint_id = create_endpoint.send().await.unwrap().id.to_string();
    let disable = service.update_webhook_endpoint().id(&endpoint_id).body_map(|body| body.enabled(false));
    let disabled = disable.send().await.unwrap().into_inner();
    assert_eq!((disabled.status, disabled.url.as_str()), (WebhookEndpointStatus::Disabled, url));
    let link_id = link.id.to_string();
    let pay = service.simulate_payment_link().id(&link_id);
    let pay = pay.body_map(|body| body.outcome(SimulatePaymentLinkRequestOutcome::Paid));
    assert_eq!(pay.send().await.unwrap().status, PaymentLinkStatus::Paid);
    let links = service
        .list_payment_links()
        .status(PaymentLinkStatus::Paid)
        .external_reference(reference.as_str())
        .location_id(location_id.as_str())
        .created_after(since)
        .created_before(since + Duration::hours(2))
        .paid_after(since)
        .page(1)
        .page_size(1)
        .send()
        .await
        .unwrap();
    assert_eq!((*links.total_count, *links.has_more, links.data[0].id.as_str()), (1, false, link_id.as_str()));
    let found = service
        .list_webhook_deliveries()
        .endpoint_id(endpoint_id.as_str())
        .payment_link_id(link_id.as_str())
        .type_("payment_link.paid".parse::<FilterableEventType>().unwrap())
        .status(WebhookDeliveryStatus::Skipped)
        .since(since)
        .page(1)
        .page_size(1)
        .send()
        .await
        .unwrap();
    assert_eq!((*found.total_count, found.data[0].type_.as_str()), (1, "payment_link.paid"));
    let delivery_id = found.data[0].id.to_string();
    let delivery = service.get_webhook_delivery().id(&delivery_id).send().await.unwrap();
    let event: WebhookEvent = parse(&delivery.payload);
    assert_eq!((event.id.as_str(), event.type_.as_str()), (delivery_id.as_str(), "payment_link.paid"));
    assert_eq!(event.data.payment_link.unwrap().id.as_str(), link_id);
    let typed: PaymentLinkPaidEvent = parse(&delivery.payload);
    assert_eq!(typed.data.payment_link.transaction.unwrap().status, "succeeded");
    service.delete_webhook_endpoint().id(&endpoint_id).send().await.unwrap();
    let free = create(&format!("{reference}-invalid")).body_map(|body| body.amount(0.0));
    let invalid = refusal_of(free.send().await.unwrap_err());
    assert_eq!((invalid.code.as_str(), invalid.param.as_deref()), ("validation_error", Some("amount")));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    use_service().await;
    let future = client("PAYLINKS_FUTURE_URL");
    let later = future.get_payment_link().id("plink_later").send().await.unwrap().into_inner();
    assert_eq!((later.source.as_str(), later.transaction.unwrap().status.as_str()), ("kiosk", "held"));
    assert_eq!(later.refunds[0].status, "recalled");
    let refused = refusal_of(future.cancel_payment_link().id("plink_later").send().await.unwrap_err());
    assert_eq!(refused.code.as_str(), "code_to_come");

    let unknown: WebhookEvent = parse(&var("PAYLINKS_FUTURE_EVENT").unwrap());
    assert_eq!(unknown.type_.as_str(), "payment_link.admired");
    assert!(unknown.data.payment_link.is_none());
    assert_eq!(unknown.data.context.unwrap()["triggeredBy"], "kiosk");
}
