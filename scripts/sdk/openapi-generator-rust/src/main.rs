//! Creates, replays, reads and lists a link, and reads what a later version may send.

use std::env::var;
use std::fs::read_to_string;

use paylinks::apis::configuration::Configuration;
use paylinks::apis::payment_links_api::{
    cancel_payment_link, create_payment_link, get_payment_link, list_payment_links,
};
use paylinks::apis::Error;
use paylinks::models::{
    ApiError, CreatePaymentLinkPatient, CreatePaymentLinkRequest, PaymentLinkPaidEvent, PaymentLinkStatus, WebhookEvent,
};

fn client(variable: &str) -> Configuration {
    Configuration {
        base_path: var(variable).unwrap(),
        bearer_access_token: Some(var("PAYLINKS_API_KEY").unwrap()),
        ..Configuration::default()
    }
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let path = format!("{}/{name}", var("PAYLINKS_SAMPLES").unwrap());
    serde_json::from_str(&read_to_string(path).unwrap()).unwrap()
}

fn code<T>(error: Error<T>) -> String {
    match error {
        Error::ResponseError(refusal) => serde_json::from_str::<ApiError>(&refusal.content).unwrap().error.code,
        other => panic!("{other}"),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let service = client("PAYLINKS_BASE_URL");
    let now = chrono::Utc::now();
    let reference = format!("sdk-{}-{}", std::process::id(), now.timestamp_micros());
    let patient = CreatePaymentLinkPatient::new("Ada".into(), "Byron".into());
    let request = CreatePaymentLinkRequest {
        location_id: Some(Some(var("PAYLINKS_LOCATION_ID").unwrap())),
        external_reference: Some(Some(reference.clone())),
        ..CreatePaymentLinkRequest::new(125.5, "Cleaning".into(), patient)
    };
    let link = create_payment_link(&service, &reference, request.clone()).await.unwrap();
    assert_eq!((link.status, link.paid_at), (PaymentLinkStatus::Active, None));
    assert_eq!(create_payment_link(&service, &reference, request).await.unwrap(), link);
    assert_eq!(get_payment_link(&service, &link.id).await.unwrap(), link);

    let zone = chrono::FixedOffset::east_opt(7200).unwrap();
    let since = (now - chrono::Duration::hours(1)).with_timezone(&zone);
    let active = Some(PaymentLinkStatus::Active);
    let page = list_payment_links(&service, active, Some(&reference), None, Some(since), None, None, None, None)
        .await
        .unwrap();
    assert_eq!((page.total_count, &page.data[0].id), (1, &link.id));
    assert_eq!(cancel_payment_link(&service, &link.id).await.unwrap().status, PaymentLinkStatus::Cancelled);
    assert_eq!(code(get_payment_link(&service, "plink_nobody").await.unwrap_err()), "not_found");

    let future = client("PAYLINKS_FUTURE_URL");
    let later = get_payment_link(&future, &link.id).await.unwrap();
    assert_eq!(later.source, "kiosk");
    assert_eq!(later.transaction.unwrap().status, "held");
    assert_eq!(later.refunds[0].status, "recalled");
    assert_eq!(code(cancel_payment_link(&future, &link.id).await.unwrap_err()), "code_to_come");

    let known: WebhookEvent = read("known.json");
    assert_eq!(known.r#type, "payment_link.paid");
    assert!(known.data.payment_link.unwrap().id.starts_with("plink_"));
    let typed: PaymentLinkPaidEvent = read("known.json");
    assert_eq!(typed.data.payment_link.transaction.unwrap().status, "succeeded");
    let unknown: WebhookEvent = read("unknown-type.json");
    assert_eq!(unknown.r#type, "payment_link.admired");
    assert!(unknown.data.payment_link.is_none());
    let values: WebhookEvent = read("unknown-values.json");
    assert_eq!(values.data.payment_link.unwrap().source, "kiosk");
    assert_eq!(values.data.context.unwrap().unwrap()["triggeredBy"], "kiosk");
    println!("ok");
}
