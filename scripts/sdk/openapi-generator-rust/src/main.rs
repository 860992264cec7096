//! Uses the operations of scripts/sdk/requests.ts, and reads values of a later version.

use std::env::var;

use chrono::{Duration, FixedOffset, Utc};
use paylinks::apis::configuration::Configuration;
use paylinks::apis::payment_links_api::*;
use paylinks::apis::webhook_deliveries_api::{get_webhook_delivery, list_webhook_deliveries};
use paylinks::apis::webhook_endpoints_api::{
    create_webhook_endpoint, delete_webhook_endpoint, update_webhook_endpoint,
};
use paylinks::apis::Error;
use paylinks::models::{
    simulate_payment_link_request::Outcome, webhook_endpoint, ApiError, ApiErrorDetails, CreatePaymentLinkPatient,
    CreatePaymentLinkRequest, CreateWebhookEndpointRequest, FilterableEventType, PaymentLinkPaidEvent,
    PaymentLinkStatus, SelectableEventType, SimulatePaymentLinkRequest, UpdateWebhookEndpointRequest,
    WebhookDeliveryStatus, WebhookEvent,
};

fn client(variable: &str) -> Configuration {
    Configuration {
        base_path: var(variable).unwrap(),
        bearer_access_token: Some(var("PAYLINKS_API_KEY").unwrap()),
        ..Configuration::default()
    }
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

async fn use_service() {
    let service = &client("PAYLINKS_BASE_URL");
    let now = Utc::now();
    let location_id = var("PAYLINKS_LOCATION_ID").unwrap();
    let reference = format!("sdk-{}-{}", std::process::id(), now.timestamp_micros());
    let since = (now - Duration::hours(1)).with_timezone(&FixedOffset::east_opt(7200).unwrap());
    let request = CreatePaymentLinkRequest {
        location_id: Some(Some(location_id.clone())),
        external_reference: Some(Some(reference.clone())),
        ..CreatePaymentLinkRequest::new(
            125.5,
            "Cleaning".into(),
            CreatePaymentLinkPatient::new("Ada".into(), "Byron".into()),
        )
    };
    let link = create_payment_link(service, &reference, request.clone()).await.unwrap();
    assert_eq!((link.status, link.amount, link.paid_at.clone()), (PaymentLinkStatus::Active, 125.5, None));
    // This SDK shows no response headers. The same link says that no second one was created.
    assert_eq!(create_payment_link(service, &reference, request.clone()).await.unwrap(), link);
    let url = "https://example.com/webhooks";
    let new_endpoint = CreateWebhookEndpointRequest {
        enabled_events: Some(Some(vec![SelectableEventType::PaymentLinkPaid])),
        ..CreateWebhookEndpointRequest::new(url.into())
    };
    let endpoint_id = create_webhook_endpoint(service, new_endpoint, None).await.unwrap().id;
    let change = UpdateWebhookEndpointRequest { enabled: Some(false), ..Default::default() };
    let disabled = update_webhook_endpoint(service, &endpoint_id, change).await.unwrap();
    assert_eq!((disabled.status, disabled.url.as_str()), (webhook_endpoint::Status::Disabled, url));
    let outcome = SimulatePaymentLinkRequest::new(Outcome::Paid);
    assert_eq!(simulate_payment_link(service, &link.id, outcome).await.unwrap().status, PaymentLinkStatus::Paid);
    let links = list_payment_links(
        service,
        Some(PaymentLinkStatus::Paid),
        Some(&reference),
        Some(&location_id),
        Some(since),
        Some(since + Duration::hours(2)),
        Some(since),
        Some(1),
        Some(1),
    )
    .await
    .unwrap();
    assert_eq!((links.total_count, links.has_more, &links.data[0].id), (1, false, &link.id));
    let skipped = Some(WebhookDeliveryStatus::Skipped);
    let (endpoint, of_link) = (Some(endpoint_id.as_str()), Some(link.id.as_str()));
    let event_type = Some(FilterableEventType::PaymentLinkPaid);
    let found = list_webhook_deliveries(service, endpoint, of_link, skipped, event_type, Some(since), Some(1), Some(1))
        .await
        .unwrap();
    assert_eq!((found.total_count, found.data[0].r#type.as_str()), (1, "payment_link.paid"));
    let delivery_id = &found.data[0].id;
    let delivery = get_webhook_delivery(service, delivery_id).await.unwrap();
    let event: WebhookEvent = parse(&delivery.payload);
    assert_eq!((&event.id, event.r#type.as_str()), (delivery_id, "payment_link.paid"));
    assert_eq!(event.data.payment_link.unwrap().id, link.id);
    let typed: PaymentLinkPaidEvent = parse(&delivery.payload);
    assert_eq!(typed.data.payment_link.transaction.unwrap().status, "succeeded");
    delete_webhook_endpoint(service, &endpoint_id).await.unwrap();
    let free = CreatePaymentLinkRequest { amount: 0.0, ..request };
    let invalid = refusal_of(create_payment_link(service, &format!("{reference}-invalid"), free).await.unwrap_err());
    assert_eq!((invalid.code.as_str(), invalid.param.as_deref()), ("validation_error", Some("amount")));
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    use_service().await;
    let future = client("PAYLINKS_FUTURE_URL");
    let later = get_payment_link(&future, "plink_later").await.unwrap();
    assert_eq!((later.source.as_str(), later.transaction.unwrap().status.as_str()), ("kiosk", "held"));
    assert_eq!(later.refunds[0].status, "recalled");
    assert_eq!(refusal_of(cancel_payment_link(&future, "plink_later").await.unwrap_err()).code, "code_to_come");

    let unknown: WebhookEvent = parse(&var("PAYLINKS_FUTURE_EVENT").unwrap());
    assert_eq!(unknown.r#type, "payment_link.admired");
    assert!(unknown.data.payment_link.is_none());
    assert_eq!(unknown.data.context.unwrap().unwrap()["triggeredBy"], "kiosk");
}
