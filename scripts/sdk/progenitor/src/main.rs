//! Creates, replays, reads and lists a link, and reads what a later version may send.

use std::env::var;
use std::fs::read_to_string;

use paylinks::types::{
    ApiError, CreatePaymentLinkPatient, CreatePaymentLinkRequest, PaymentLinkPaidEvent, PaymentLinkStatus, WebhookEvent,
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

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/{name}", var("PAYLINKS_SAMPLES").unwrap());
    serde_json::from_str(&read_to_string(path).unwrap()).unwrap()
}

fn code(error: Error<ApiError>) -> String {
    match error {
        Error::ErrorResponse(refusal) => refusal.into_inner().error.code.to_string(),
        other => panic!("{other}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let service = client("PAYLINKS_BASE_URL");
    let now = chrono::Utc::now();
    let reference = format!("sdk-{}-{}", std::process::id(), now.timestamp_micros());
    let patient = CreatePaymentLinkPatient::builder().first_name("Ada").last_name("Byron");
    let request: CreatePaymentLinkRequest = CreatePaymentLinkRequest::builder()
        .amount(125.5)
        .description("Cleaning")
        .patient(patient)
        .location_id(var("PAYLINKS_LOCATION_ID").unwrap())
        .external_reference(Some(reference.parse().unwrap()))
        .try_into()
        .unwrap();
    let create = || service.create_payment_link().idempotency_key(reference.as_str()).body(request.clone()).send();
    let link = create().await.unwrap().into_inner();
    assert_eq!((link.status, link.paid_at), (PaymentLinkStatus::Active, None));
    let replay = create().await.unwrap();
    assert_eq!(replay.headers()["Idempotency-Replayed"], "true");
    assert_eq!(replay.into_inner(), link);
    let id = link.id.to_string();
    assert_eq!(service.get_payment_link().id(&id).send().await.unwrap().into_inner(), link);

    let page = service
        .list_payment_links()
        .status(PaymentLinkStatus::Active)
        .external_reference(reference.as_str())
        .created_after(now - chrono::Duration::hours(1))
        .send()
        .await
        .unwrap();
    assert_eq!((*page.total_count, &page.data[0].id), (1, &link.id));
    let cancelled = service.cancel_payment_link().id(&id).send().await.unwrap();
    assert_eq!(cancelled.status, PaymentLinkStatus::Cancelled);
    assert_eq!(code(service.get_payment_link().id("plink_nobody").send().await.unwrap_err()), "not_found");

    let future = client("PAYLINKS_FUTURE_URL");
    let later = future.get_payment_link().id(&id).send().await.unwrap().into_inner();
    assert_eq!(later.source, "kiosk");
    assert_eq!(later.transaction.unwrap().status, "held");
    assert_eq!(later.refunds[0].status, "recalled");
    assert_eq!(code(future.cancel_payment_link().id(&id).send().await.unwrap_err()), "code_to_come");

    let known: WebhookEvent = read("known.json");
    assert_eq!(known.type_.as_str(), "payment_link.paid");
    assert!(known.data.payment_link.unwrap().id.starts_with("plink_"));
    let typed: PaymentLinkPaidEvent = read("known.json");
    assert_eq!(typed.data.payment_link.transaction.unwrap().status, "succeeded");
    let unknown: WebhookEvent = read("unknown-type.json");
    assert_eq!(unknown.type_.as_str(), "payment_link.admired");
    assert!(unknown.data.payment_link.is_none());
    let values: WebhookEvent = read("unknown-values.json");
    assert_eq!(values.data.payment_link.unwrap().source, "kiosk");
    assert_eq!(values.data.context.unwrap()["triggeredBy"], "kiosk");
    println!("ok");
}
